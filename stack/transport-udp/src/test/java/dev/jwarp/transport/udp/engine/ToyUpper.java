package dev.jwarp.transport.udp.engine;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A layer above that sends given payloads, one segment a message, and records events. */
public class ToyUpper implements DatagramUpperLayer {
    /** The length of the DDP header of a Send; only its T bit matters below. */
    public static final int HEADER = 18;

    /** One received segment. */
    public record Received(
            DatagramAddress source, int sourceQpn, int messageId, AddressProof proof, boolean reply, byte[] payload) {
        public boolean validated() {
            return proof != AddressProof.NONE;
        }
    }

    private record Outgoing(DatagramPeer peer, Shim shim, boolean cookie, byte[] payload, int messageId)
            implements OutboundMessage {}

    public final List<Received> received = new ArrayList<>();
    public final List<String> events = new CopyOnWriteArrayList<>();
    public final List<Integer> unsendable = new ArrayList<>();
    public boolean working = true;
    public int weight = 1;
    /** Whether to accept segments by the fast path, and how many were. */
    public boolean wantsNext;

    public int nexts;
    public int polls;
    public int transmitted;
    public SegmentFate fate = SegmentFate.ACCEPTED;
    public TerminateCode refusal = TerminateCode.DDP_INVALID_STAG;
    public BiPredicate<Shim, DatagramAddress> asked = (shim, source) -> false;
    public long timeout = Long.MAX_VALUE;
    /** Runs after the payload of a segment was written. */
    public Runnable onComposed = () -> {};

    public Runnable onSettled = () -> {};

    public volatile Consumer<Received> onReceived = segment -> {};
    public volatile Runnable onAskedForTimeout = () -> {};

    public final int number;
    private final Deque<Outgoing> outgoing = new ArrayDeque<>();
    /** Whether to ask for the segment size before each send, as the real layer does; and the last answer. */
    public boolean asksSize;

    public int size;

    /** The Message Id of the next message. */
    public int nextId = 100;

    private volatile @Nullable DatagramLowerLayer lower;

    /** Creates a layer above the queue pair of that number. */
    public ToyUpper(int number) {
        this.number = number;
    }

    public DatagramLowerLayer lower() {
        return Objects.requireNonNull(lower, "not attached");
    }

    @Override
    public boolean working() {
        return working;
    }

    @Override
    public int weight() {
        return weight;
    }

    /** Queues a message; the caller rings the doorbell. Returns the Message Id. */
    public int send(DatagramPeer peer, byte[] payload) {
        return send(peer, payload, false, payload.length);
    }

    /** Queues {@code count} messages of that length, and rings the doorbell. */
    public void post(DatagramPeer peer, int count, int length) {
        byte[] payload = new byte[length];
        for (int i = 0; i < count; i++) {
            send(peer, payload);
        }
        lower().doorbell();
    }

    public int send(DatagramPeer peer, byte[] payload, boolean cookie, int segmentSize) {
        int id = nextId++;
        boolean group = peer.queuePairNumber() == Shim.GROUP_QPN;
        Shim shim = new Shim()
                .addressed(peer.queuePairNumber(), number, peer.key())
                .message(id, payload.length)
                .segment(0, segmentSize)
                .flags(false, false, group, segmentSize > payload.length);
        outgoing.add(new Outgoing(peer, shim, cookie, payload, id));
        return id;
    }

    /** Queues the answer to a Read with that shim. */
    public void answer(DatagramPeer asker, Shim request, byte[] payload) {
        Shim shim = new Shim()
                .addressed(request.sourceQpn(), request.destinationQpn(), request.key())
                .message(request.messageId(), payload.length)
                .segment(0, payload.length)
                .flags(true, false, false, false);
        outgoing.add(new Outgoing(asker, shim, false, payload, request.messageId()));
    }

    @Override
    public void onAttached(DatagramLowerLayer lower, long nowNanos) {
        this.lower = lower;
        events.add("attached");
    }

    @Override
    public boolean wantsNext() {
        return wantsNext;
    }

    @Override
    public boolean onNextSegment(ByteBuffer buffer, int before, int offset, long nowNanos) {
        nexts++;
        return true;
    }

    @Override
    public boolean asked(ReceivedDatagram reply) {
        return asked.test(reply.shim(), reply.source());
    }

    @Override
    public SegmentFate onSegment(ReceivedDatagram datagram, long nowNanos) {
        byte[] payload = new byte[Math.max(0, datagram.length() - HEADER)];
        datagram.buffer().get(datagram.offset() + HEADER, payload);
        Shim shim = datagram.shim();
        Received segment = new Received(
                datagram.source().copy(), shim.sourceQpn(), shim.messageId(), datagram.proof(), shim.reply(), payload);
        received.add(segment);
        onReceived.accept(segment);
        return fate;
    }

    @Override
    public String cause() {
        return "upper_" + fate;
    }

    @Override
    public TerminateCode refusal() {
        return refusal;
    }

    @Override
    public void onNotify(ReceivedDatagram reply, int control, long nowNanos) {
        events.add(String.format(Locale.ROOT, "notify %d %08x", reply.shim().messageId(), control));
    }

    @Override
    public void onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos) {
        events.add("challenge " + reply.shim().messageId());
    }

    @Override
    public boolean hasOutput() {
        return !outgoing.isEmpty();
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        polls++;
        for (Outgoing next : outgoing) {
            if (out.admits(next.peer, nowNanos)) {
                if (asksSize) {
                    size = out.segmentSize(next.peer, HEADER, next.cookie);
                }
                int at = out.begin(next.peer, next.shim, next.cookie, HEADER, next.payload.length);
                out.buffer().putShort(at, (short) 0x4143);
                for (int i = 2; i < HEADER; i++) {
                    out.buffer().put(at + i, (byte) 0);
                }
                out.payload(ByteBuffer.wrap(next.payload), 0, next.payload.length, true);
                onComposed.run();
                out.end(next);
                outgoing.remove(next);
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos) {
        throw new AssertionError("only reliable queue pairs repeat");
    }

    @Override
    public void onTransmitted(long nowNanos) {
        transmitted++;
    }

    @Override
    public void settled() {
        onSettled.run();
    }

    @Override
    public void onAccepted(OutboundMessage message, int segments, long nowNanos) {
        throw new AssertionError("only reliable queue pairs accept");
    }

    @Override
    public void onUnsendable(OutboundMessage message, String sentence, long nowNanos) {
        unsendable.add(((Outgoing) message).messageId);
        events.add(sentence);
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        throw new AssertionError("only reliable queue pairs have channels");
    }

    @Override
    public void onSilent(DatagramPeer peer, long nowNanos) {
        events.add("silent");
    }

    @Override
    public void onVersionList(ReceivedDatagram reply, int versions, long nowNanos) {
        events.add("versions " + versions);
    }

    @Override
    public long nextTimeout() {
        onAskedForTimeout.run();
        return timeout;
    }

    @Override
    public void onTimeout(long nowNanos) {
        events.add("timeout");
        timeout = Long.MAX_VALUE;
    }

    @Override
    public void onDetached(long nowNanos) {
        events.add("detached");
    }
}
