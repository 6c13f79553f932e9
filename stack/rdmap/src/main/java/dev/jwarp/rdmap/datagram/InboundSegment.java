package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.PeerBinding;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.datagram.SegmentShape;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The segment being checked, the results of the checks, and its fate. One object per endpoint; owner thread only;
 * allocates nothing.
 */
final class InboundSegment implements TaggedAccess.Asker {
    private static final ReceivedDatagram NOTHING = new ReceivedDatagram();

    final boolean reliable;
    final DdpSegment segment = new DdpSegment();
    final SegmentShape shape = new SegmentShape();
    private final Tally<DatagramCounter> counters;
    private final DatagramListener listener;
    private final DatagramEvent event;

    private ReceivedDatagram datagram = NOTHING;
    /** The message of the placed segment, if the message is still incomplete. */
    private @Nullable MessageRecord open;

    AddressProof proof = AddressProof.NONE;
    int opcode;
    long hash;
    long now;

    private @Nullable TerminateCode refusal;
    private DatagramCounter cause = DatagramCounter.RX_STOPPED;

    InboundSegment(EndpointCore core) {
        reliable = core.reliable;
        counters = core.counters;
        listener = core.listener;
        event = core.event;
    }

    /** Begins the next segment, which is valid until {@link #done}. */
    void begin(ReceivedDatagram received, long nowNanos) {
        datagram = received;
        now = nowNanos;
        open = null;
        // datagram-iWARP §G.4: a datagram to a group proves nothing about its sender.
        proof = received.shim().group() ? AddressProof.NONE : received.proof();
    }

    /** Drops the reference to the datagram of the lower layer. */
    void done() {
        datagram = NOTHING;
    }

    /** {@return the datagram received} */
    ReceivedDatagram datagram() {
        return datagram;
    }

    Shim shim() {
        return datagram.shim();
    }

    DatagramAddress source() {
        return datagram.source();
    }

    ByteBuffer buffer() {
        return datagram.buffer();
    }

    /** {@return whether the source has proved its address or needs no proof} */
    boolean known() {
        return proof != AddressProof.NONE;
    }

    @Override
    public boolean isOf(PeerBinding peers) {
        return peers.admits(source(), shim().sourceQpn());
    }

    @Override
    public long nowNanos() {
        return now;
    }

    /** The segment is placed or otherwise used. Step 20. */
    SegmentFate accepted() {
        counters.count(DatagramCounter.RX_OK);
        return SegmentFate.ACCEPTED;
    }

    /** The segment is dropped without an error. */
    SegmentFate dropped(DatagramCounter why) {
        failed(why);
        return SegmentFate.DROPPED;
    }

    /** A resource is missing: UD drops the segment, RD offers it again. */
    SegmentFate notReady(DatagramCounter why) {
        failed(why);
        return SegmentFate.NOT_READY;
    }

    /** The segment failed a check. */
    SegmentFate refused(Refusal why) {
        failed(why.counter);
        if (reliable) {
            TerminateCode code = why.reliableCode();
            refusal = code;
            listener.event(event.set(DatagramEvent.Kind.VIOLATION, datagram, code, code.sentence()));
            return SegmentFate.REFUSED;
        }
        // datagram-iWARP §9 (DG-5.2-18, DG-G.2-2): no reply to a group datagram or to a reply.
        if (why.code == null || shim().group() || shim().reply()) {
            return SegmentFate.DROPPED;
        }
        refusal = why.code;
        return SegmentFate.REFUSED;
    }

    private void failed(DatagramCounter why) {
        counters.count(why);
        cause = why;
    }

    /** Records the message of the placed segment, which is still incomplete. */
    void leaves(MessageRecord record) {
        open = record;
    }

    /** {@return the message of the placed segment if the message is still incomplete, or null} */
    @Nullable
    MessageRecord open() {
        return open;
    }

    /** {@return the counter of the last segment that was not accepted} */
    DatagramCounter cause() {
        return cause;
    }

    /** {@return the code of the last refusal} */
    TerminateCode refusal() {
        return Objects.requireNonNull(refusal, "nothing has been refused");
    }

    /** {@return the index of the payload in {@link #buffer}} */
    int payloadAt() {
        return segment.payloadOffset();
    }
}
