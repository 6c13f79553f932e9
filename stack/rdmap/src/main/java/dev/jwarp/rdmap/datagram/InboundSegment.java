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
 * The segment under check, what the checks know of it, and what becomes of it. One object an endpoint; owner thread only;
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
    /** The message that a segment was placed of, if more of it is missing. */
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

    /** The next one; until {@link #done}. */
    void begin(ReceivedDatagram received, long nowNanos) {
        datagram = received;
        now = nowNanos;
        open = null;
        // datagram-iWARP §12: a sender to a group has not proved anything.
        proof = received.shim().group() ? AddressProof.NONE : received.proof();
    }

    /** Forgets what belongs to the lower layer. */
    void done() {
        datagram = NOTHING;
    }

    /** {@return what came} */
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

    /** {@return whether it is from a source that has proved its address, or need not} */
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

    /** It is placed, or otherwise used. Step 20. */
    SegmentFate accepted() {
        counters.count(DatagramCounter.RX_OK);
        return SegmentFate.ACCEPTED;
    }

    /** Not used, and no error. */
    SegmentFate dropped(DatagramCounter why) {
        failed(why);
        return SegmentFate.DROPPED;
    }

    /** There is no room: UD loses it, RD offers it again. */
    SegmentFate notReady(DatagramCounter why) {
        failed(why);
        return SegmentFate.NOT_READY;
    }

    /** A check failed. */
    SegmentFate refused(Refusal why) {
        failed(why.counter);
        if (reliable) {
            TerminateCode code = why.reliableCode();
            refusal = code;
            listener.event(event.set(DatagramEvent.Kind.VIOLATION, datagram, code, code.sentence()));
            return SegmentFate.REFUSED;
        }
        // datagram-iWARP §9 (DG-5.2-18, DG-12-2): never an answer to a group or to an answer.
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

    /** A segment of it was placed, and more of it is missing. */
    void leaves(MessageRecord record) {
        open = record;
    }

    /** {@return the message that the segment was placed of, if more of it is missing} */
    @Nullable
    MessageRecord open() {
        return open;
    }

    /** {@return what was counted when a segment was last not accepted} */
    DatagramCounter cause() {
        return cause;
    }

    /** {@return the code of what was refused last} */
    TerminateCode refusal() {
        return Objects.requireNonNull(refusal, "nothing has been refused");
    }

    /** {@return where the payload stands in {@link #buffer}} */
    int payloadAt() {
        return segment.payloadOffset();
    }
}
