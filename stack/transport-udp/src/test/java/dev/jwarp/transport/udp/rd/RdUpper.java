package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A layer above that numbers its segments: each has its sender, the number of its message and its index. Received
 * segments are recorded by sender, so that a test can check that each came once and in order.
 */
final class RdUpper implements DatagramUpperLayer {
    /** The length of a DDP header, whose content is ignored here. */
    static final int HEADER = 18;
    /** The least payload: sender, message and index. */
    static final int MARKS = 24;

    /** One message to one peer. */
    static final class Message implements OutboundMessage {
        private final Destination to;
        final long number;
        final int segments;
        int sent;
        int accepted;

        @Nullable
        OperationStatus status;

        long doneAt;

        private Message(Destination to, long number, int segments) {
            this.to = to;
            this.number = number;
            this.segments = segments;
        }

        /** {@return what a receiver records of this message} */
        Stream<Long> marks() {
            return IntStream.range(0, segments).mapToObj(i -> mark(number, i));
        }
    }

    /** The work for one address handle. */
    private record Destination(DatagramPeer peer, ArrayDeque<Message> queue) {}

    /** A notification of the end of a channel. */
    record Lost(
            DatagramAddress address,
            OperationStatus status,
            @Nullable TerminateCode code,
            boolean all) {}

    private static long incarnations;

    final long incarnation = ++incarnations;
    final List<Message> messages = new ArrayList<>();
    final List<Lost> lost = new ArrayList<>();
    /** By incarnation of the sender: message number and index of each accepted segment. */
    final Map<Long, List<Long>> received = new HashMap<>();

    /** Messages that may still be received; the first segment of a message consumes one. */
    long receives = Long.MAX_VALUE;
    /** The code with which to refuse segments, if not null. */
    @Nullable
    TerminateCode refusal;

    /** The payload of each segment, bytes. */
    int segment = MARKS;

    /** The number of offered segments. */
    long offered;

    /** Whether received segments are recorded, which takes memory. */
    boolean records = true;

    boolean memoryGone;
    long acceptedSegments;

    @Nullable
    Runnable onSent;

    Runnable onLost = () -> {};

    @Nullable
    DatagramLowerLayer lower;

    private final int number;
    private final LongSupplier clock;
    private final ByteBuffer memory = ByteBuffer.allocate(2000);
    private final Map<DatagramPeer, Destination> destinations = new LinkedHashMap<>();
    private final ArrayDeque<Destination> turns = new ArrayDeque<>();
    private final Shim shim = new Shim();
    private long nextNumber;

    RdUpper(int number, LongSupplier clock) {
        this.number = number;
        this.clock = clock;
    }

    // ---- for tests

    Message post(DatagramPeer peer, int segments) {
        Destination to = destinations.computeIfAbsent(peer, p -> new Destination(p, new ArrayDeque<>()));
        Message message = new Message(to, nextNumber++, segments);
        messages.add(message);
        if (to.queue.isEmpty()) {
            turns.add(to);
        }
        to.queue.add(message);
        return message;
    }

    void post(DatagramPeer peer, int segments, int count) {
        for (int i = 0; i < count; i++) {
            post(peer, segments);
        }
    }

    /** Removes all work that was not begun. */
    void cancel() {
        destinations.values().forEach(to -> to.queue.clear());
    }

    Message last() {
        return messages.get(messages.size() - 1);
    }

    boolean allDone() {
        return messages.stream().allMatch(m -> m.status != null);
    }

    long succeeded() {
        return messages.stream()
                .filter(m -> m.status == OperationStatus.SUCCESS)
                .count();
    }

    /** Every message was successful, and that receiver has received it once, in order, and nothing else from here. */
    void assertDelivered(RdUpper receiver, String what) {
        assertThat(messages).as(what).allSatisfy(m -> assertThat(m.status).isEqualTo(OperationStatus.SUCCESS));
        assertThat(receiver.from(this))
                .as(what)
                .isEqualTo(messages.stream().flatMap(Message::marks).toList());
    }

    List<Long> from(RdUpper sender) {
        return received.getOrDefault(sender.incarnation, List.of());
    }

    static long mark(long message, int index) {
        return message << 20 | index;
    }

    // ---- DatagramUpperLayer

    @Override
    public SegmentFate onSegment(ReceivedDatagram datagram, long nowNanos) {
        offered++;
        if (refusal != null) {
            return SegmentFate.REFUSED;
        }
        ByteBuffer buffer = datagram.buffer();
        int marks = datagram.offset() + HEADER;
        int index = (int) buffer.getLong(marks + 16);
        if (index == 0) {
            if (receives == 0) {
                return SegmentFate.NOT_READY;
            }
            receives--;
        }
        if (!records) {
            return SegmentFate.ACCEPTED;
        }
        received.computeIfAbsent(buffer.getLong(marks), sender -> new ArrayList<>())
                .add(mark(buffer.getLong(marks + 8), index));
        return SegmentFate.ACCEPTED;
    }

    @Override
    public String cause() {
        return "upper";
    }

    @Override
    public TerminateCode refusal() {
        return Objects.requireNonNull(refusal);
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        for (int i = turns.size(); i > 0; i--) {
            Destination to = turns.remove();
            Message message = to.queue.peek();
            if (message == null) {
                continue;
            }
            turns.add(to);
            if (out.admits(to.peer, nowNanos)) {
                write(message, message.sent++, out);
                if (message.sent == message.segments) {
                    to.queue.remove();
                }
                if (onSent != null) {
                    onSent.run();
                }
                return true;
            }
        }
        return false;
    }

    private void write(Message message, int index, SegmentWriter out) {
        int size = Math.min(segment, out.segmentSize(message.to.peer, HEADER, false));
        shim.addressed(message.to.peer.queuePairNumber(), number, 0)
                .message((int) message.number, (long) size * message.segments)
                .segment(index, size)
                .flags(false, false, false, false);
        int at = out.begin(message.to.peer, shim, false, HEADER, size);
        out.buffer().putShort(at, (short) 0x4143);
        for (int i = 2; i < HEADER; i++) {
            out.buffer().put(at + i, (byte) 0);
        }
        memory.putLong(0, incarnation).putLong(8, message.number).putLong(16, index);
        out.payload(memory, 0, size, true);
        out.end(message);
    }

    @Override
    public boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos) {
        if (memoryGone) {
            finish((Message) message, OperationStatus.LOC_PROT_ERR);
            return false;
        }
        write((Message) message, index, out);
        return true;
    }

    @Override
    public void onAccepted(OutboundMessage message, int segments, long nowNanos) {
        Message m = (Message) message;
        m.accepted += segments;
        acceptedSegments += segments;
        if (m.accepted > m.sent) {
            throw new IllegalStateException("more is accepted than was sent");
        }
        if (m.accepted == m.segments) {
            finish(m, OperationStatus.SUCCESS);
        }
    }

    private void finish(Message message, OperationStatus status) {
        if (message.status == null) {
            message.status = status;
            message.doneAt = clock.getAsLong();
        } else if (status == OperationStatus.SUCCESS) {
            throw new IllegalStateException("completed twice");
        }
        message.to.queue.remove(message);
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        lost.add(new Lost(peer.address().copy(), status, code, all));
        onLost.run();
        for (Message message : messages) {
            DatagramPeer to = message.to.peer;
            boolean same = to.address().equals(peer.address()) && to.queuePairNumber() == peer.queuePairNumber();
            if (same && message.status == null && (all || message.sent > 0)) {
                finish(message, status);
            }
        }
    }

    @Override
    public void onAttached(DatagramLowerLayer below, long nowNanos) {
        lower = below;
    }

    @Override
    public boolean asked(ReceivedDatagram reply) {
        return false;
    }

    @Override
    public void onNotify(ReceivedDatagram reply, int control, long nowNanos) {}

    @Override
    public void onChallenge(ReceivedDatagram reply, long high, long low, long nowNanos) {}

    @Override
    public void onTransmitted(long nowNanos) {}

    @Override
    public void onUnsendable(OutboundMessage message, String sentence, long nowNanos) {}

    @Override
    public void onVersionList(ReceivedDatagram reply, int versions, long nowNanos) {}

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}

    @Override
    public void onDetached(long nowNanos) {}
}
