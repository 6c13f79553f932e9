package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A long message on its way out. It is written into a return buffer of the peer, if one is large enough; the notice
 * follows. Otherwise the notice tells the peer what to read. The peer answers with DONE. Over datagrams the notice is
 * repeated until then, and tells what to read in any case, because a Write-Record can be lost.
 *
 * <p>Used under the lock of the endpoint; the future completes without it.
 */
final class LongSend implements Operation {
    /** Longest Write-Record: half of what a receiver takes by default. */
    private static final int LONGEST_RECORD = 8 << 20;

    final CompletableFuture<Void> future = new CompletableFuture<>();
    private final Peer peer;
    private final int flags;
    private final long correlation;
    private final MessageBuffer[] buffers;
    private final List<MessageBuffer> returns;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private int token;
    private byte[] notice = {};
    private long noticedAt;
    private long wait = MessageEndpoint.REPEAT_NANOS;
    /** What is written into a return buffer of the peer: the memory, and how far the work requests have come. */
    private @Nullable RemoteMemory into;

    private int buffer;
    private int offset;
    private long written;
    private boolean noticed;
    private int posted;
    private boolean finished;
    private boolean revoked;

    private @Nullable RdmaException failure;

    LongSend(Peer peer, int flags, long correlation, MessageBuffer[] buffers, List<MessageBuffer> returns) {
        this.peer = peer;
        this.flags = flags;
        this.correlation = correlation;
        this.buffers = buffers;
        this.returns = returns;
    }

    int token() {
        return token;
    }

    int flags() {
        return flags;
    }

    long correlation() {
        return correlation;
    }

    boolean isReply() {
        return (flags & Frame.REPLY) != 0;
    }

    long total() {
        long sum = 0;
        for (MessageBuffer each : buffers) {
            sum += each.length();
        }
        return sum;
    }

    /**
     * Tells the peer of the message.
     *
     * @param where a buffer of the peer with room for the message; null if there is none
     * @throws RdmaException LIMIT_REACHED if the context has no STags left; the peer has not heard of the message
     */
    void start(int withToken, @Nullable RemoteMemory where) {
        into = where;
        boolean read = into == null || peer.datagrams();
        ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER
                + returns.size() * Frame.RETURN
                + Frame.LONG_BODY
                + (read ? buffers.length * Frame.RETURN : 0));
        Frame.header(frame, Frame.LONG, flags, returns.size(), correlation);
        List<Exposure> made = peer.expose(returns, (flags & Frame.CALL) != 0 ? correlation : 0, frame);
        frame.putLong(total()).putInt(withToken).putInt(into == null ? 0 : into.key());
        try {
            for (int i = 0; read && i < buffers.length; i++) {
                MemoryRegion region = buffers[i].expose(AccessFlag.REMOTE_READ);
                regions.add(region);
                peer.bind(region);
                RemoteMemory.write(frame, region);
            }
        } catch (RdmaException e) {
            peer.unexpose(made);
            throw e;
        }
        token = withToken;
        notice = frame.array();
        peer.endpoint.count(into == null ? EndpointCounter.LONG_OFFERED : EndpointCounter.LONG_WRITTEN);
        go();
    }

    boolean isNoticed() {
        return noticed;
    }

    /** Posts the remaining Writes until the send queue is full. Sends the notice after the last one. */
    private void go() {
        if (finished || noticed || (into != null && !write(into))) {
            return;
        }
        noticed = true;
        noticedAt = peer.endpoint.now();
        peer.notice(notice, this);
    }

    private boolean write(RemoteMemory where) {
        int most = peer.datagrams() ? LONGEST_RECORD : Integer.MAX_VALUE;
        while (buffer < buffers.length) {
            MessageBuffer from = buffers[buffer];
            int length = Math.min(most, from.length() - offset);
            if (length > 0) {
                SendWorkRequest request = peer.endpoint.begin(this);
                request.add(from.address() + offset, length, from.region().lkey());
                if (peer.datagrams()) {
                    request.writeRecord(where.address() + written, where.key());
                } else {
                    request.rdmaWrite(where.address() + written, where.key());
                }
                if (!peer.endpoint.post(peer, request)) {
                    return false;
                }
                posted++;
            }
            offset += length;
            written += length;
            if (offset == from.length()) {
                buffer++;
                offset = 0;
            }
        }
        return true;
    }

    @Override
    public void completed(WorkCompletion completion) {
        peer.requestEnded();
        posted--;
        go();
        endIfFree();
    }

    void done(int status) {
        if (!finished) {
            finished = true;
            if (status != LongReceive.WHOLE) {
                failure = LongReceive.failure(peer, status);
            }
            peer.ended(this);
            endIfFree();
        }
    }

    void fail(RdmaException cause) {
        if (!finished) {
            finished = true;
            failure = cause;
            if (token == 0) { // not begun: the peer does not know the return buffers
                peer.giveBack(returns);
            }
            endIfFree();
        }
    }

    /** The buffers are the program's again when no work request uses them, and no peer reaches them. */
    private void endIfFree() {
        if ((finished || revoked) && posted == 0) {
            RdmaException why = failure;
            List<MemoryRegion> toClose = List.copyOf(regions);
            regions.clear();
            peer.endpoint.after(() -> {
                toClose.forEach(MemoryRegion::close);
                if (why == null) {
                    future.complete(null);
                } else {
                    future.completeExceptionally(why);
                }
            });
        }
    }

    /** UD: the program gets the buffers back. The peer, whose Reads fail from now on, still has to answer with DONE. */
    void revoke(RdmaException cause) {
        if (!finished) {
            revoked = true;
            failure = cause;
            endIfFree();
        }
    }

    void tick(long now) {
        go();
        if (noticed && peer.datagrams() && now - noticedAt >= wait) {
            noticedAt = now;
            wait = Math.min(2 * wait, MessageEndpoint.LONGEST_REPEAT_NANOS);
            peer.noticeAgain(notice);
        }
    }
}
