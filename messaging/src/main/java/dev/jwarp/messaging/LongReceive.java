package dev.jwarp.messaging;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A long message on its way in, from its notice on: it is in a return buffer, or it is read. Over datagrams the notice
 * can overtake the data, or the data be lost: then it is read after a while.
 *
 * <p>Used under the lock of the endpoint.
 */
final class LongReceive implements Operation {
    /** Status of a DONE. */
    static final int WHOLE = 0;

    private static final int NOT_READ = 1;
    private static final int TOO_LONG = 2;
    private static final int NO_SUCH_BUFFER = 3;

    /** A record that has not come after this time is lost. */
    private static final long RECORD_NANOS = 100_000_000;

    private static final int READ_ROUNDS = 16;

    private final Peer peer;
    private final int flags;
    private final long correlation;
    private final long total;
    private final int token;
    private final int written;
    /** What can be read. */
    private final List<RemoteMemory> pieces;

    private final long since;
    private @Nullable Exposure exposure;
    private @Nullable MessageBuffer into;
    private boolean reading;
    /** The next piece to read, and where it goes. */
    private int next;

    private long at;
    private boolean over;
    private int reads;
    private boolean failed;

    LongReceive(Peer peer, ByteBuffer in, int body, int end, long correlation, int flags) {
        this.peer = peer;
        this.correlation = correlation;
        this.flags = flags;
        total = in.getLong(body);
        token = in.getInt(body + 8);
        written = in.getInt(body + 12);
        pieces = RemoteMemory.readAll(in, body + Frame.LONG_BODY, end, 0);
        since = peer.endpoint.now();
    }

    static RdmaException failure(Peer peer, int status) {
        return switch (status) {
            case TOO_LONG ->
                new RdmaException(
                        RdmaErrorCode.LIMIT_REACHED,
                        peer + " takes no message of this length: its buffer pool is smaller. Send parts.");
            case NO_SUCH_BUFFER ->
                new RdmaException(
                        RdmaErrorCode.NOT_FOUND,
                        peer + " no longer has the return buffer that was written: send again.");
            default -> new RdmaException(RdmaErrorCode.DISCONNECTED, peer + " could not read the whole message.");
        };
    }

    int token() {
        return token;
    }

    void begin() {
        if (!piecesFit()) {
            end(NOT_READ);
        } else if (!peer.endpoint.pool.canHold(total)) {
            end(TOO_LONG);
        } else if (written == 0) {
            read();
        } else {
            exposure = peer.written(written, flags, correlation);
            if (exposure == null || exposure.buffer.length() < total) {
                end(NO_SUCH_BUFFER);
            } else if (!peer.datagrams() || exposure.recorded >= total) {
                whole();
            } else {
                recorded(exposure);
            }
        }
    }

    /** Whether the pieces have the stated length together; a written message over RC has none. */
    private boolean piecesFit() {
        long sum = 0;
        for (RemoteMemory piece : pieces) {
            if (piece.length() < 0) {
                return false;
            }
            sum += piece.length();
        }
        boolean nothingToRead = written != 0 && pieces.isEmpty() && !peer.datagrams();
        return total >= 0 && (sum == total || nothingToRead);
    }

    /** Records have come into a return buffer. */
    void recorded(Exposure where) {
        if (where == exposure && !reading && !over) {
            if (where.recorded >= total) {
                whole();
            } else if (where.damaged) {
                read();
            }
        }
    }

    void tick(long now) {
        if (exposure != null && !reading && !over && now - since > RECORD_NANOS) {
            read();
        } else if (reading && !over) {
            postReads();
        }
    }

    void memoryFreed() {
        if (written == 0 && !reading && !over) {
            read();
        }
    }

    private void read() {
        MessageBuffer to = exposure != null ? exposure.buffer : memory();
        if (to == null) {
            return; // until memory is freed
        }
        into = to;
        if (exposure != null) {
            exposure.busy = true;
        }
        reading = true;
        at = to.address();
        postReads();
    }

    /** Posts the remaining Reads until the send queue is full. */
    private void postReads() {
        MessageBuffer to = Objects.requireNonNull(into);
        while (!failed && !over && next < pieces.size()) {
            RemoteMemory piece = pieces.get(next);
            if (piece.length() > 0) {
                if (!post(at, piece, to)) {
                    return;
                }
                reads++;
                at += piece.length();
            }
            next++;
        }
        endIfRead();
    }

    private @Nullable MessageBuffer memory() {
        try {
            return peer.memory((int) total);
        } catch (RdmaException e) { // the context is closed, or has no room for another region
            peer.endpoint.memoryWanted = true;
            return null;
        }
    }

    private boolean post(long at, RemoteMemory piece, MessageBuffer to) {
        SendWorkRequest request = peer.endpoint.begin(this);
        request.rdmaRead(piece.address(), piece.key())
                .add(at, piece.length(), to.region().lkey());
        return peer.endpoint.readAll(peer, request, READ_ROUNDS);
    }

    @Override
    public void completed(WorkCompletion completion) {
        peer.requestEnded();
        failed |= !completion.succeeded();
        reads--;
        if (over) {
            giveUpIfRead();
        } else {
            postReads();
        }
    }

    private void endIfRead() {
        if (reads > 0 || over) {
            return;
        }
        if (failed) {
            end(NOT_READ);
        } else {
            peer.endpoint.count(EndpointCounter.LONG_READ);
            whole();
        }
    }

    private void whole() {
        over = true;
        Exposure used = exposure;
        MessageBuffer got = used == null ? Objects.requireNonNull(into) : used.buffer;
        if (used != null) {
            peer.used(used);
        }
        peer.longOpen(1);
        peer.ended(this, WHOLE);
        peer.endpoint.after(() -> {
            if (used != null) {
                used.region.close(); // before the program sees the bytes, they are out of the peer's reach
            }
            Message message = new Message(peer.endpoint, got);
            int start = got.data().position();
            message.arrived(peer, start, (int) total, flags, correlation).reserved = used == null;
            peer.endpoint.deliverLong(message);
        });
    }

    private void end(int status) {
        over = true;
        giveUp();
        peer.ended(this, status);
    }

    /** The peer is gone. */
    void abandon() {
        over = true;
        giveUpIfRead();
    }

    private void giveUpIfRead() {
        if (reads == 0 && (exposure == null || exposure.busy)) {
            giveUp();
        }
    }

    boolean isIn(Exposure some) {
        return exposure == some;
    }

    /** Gives memory of the pool back. A return buffer stays the peer's to write, unless the peer is gone. */
    private void giveUp() {
        Exposure used = exposure;
        MessageBuffer own = into;
        into = null;
        if (used != null) {
            used.busy = false;
            if (peer.state == Peer.State.GONE) {
                peer.endpoint.after(used::giveBack);
            }
        } else if (own != null) {
            peer.memoryReleased(own);
            peer.endpoint.after(own::close);
        }
    }
}
