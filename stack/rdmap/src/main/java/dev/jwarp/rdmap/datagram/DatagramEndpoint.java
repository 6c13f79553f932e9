package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.datagram.RangeConsumer;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.DatagramService;
import dev.jwarp.ddp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.ddp.llp.datagram.SegmentFate;
import dev.jwarp.ddp.llp.datagram.SegmentWriter;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.rdmap.ReceiveSource;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A datagram queue pair without its verbs: sends the operations of its send queue, takes in what peers send, and tells a
 * {@link DatagramListener} how it all ended (datagram-iWARP §5 to §9). It knows no socket, no thread and no clock. UD: a
 * datagram that is lost is lost, and no error ends anything; RD: the lower layer hands everything up once and in order.
 *
 * <p>Threads: the {@link DatagramUpperLayer} methods are the owner's; the others say who may call them. Allocates nothing in
 * steady state.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class DatagramEndpoint implements DatagramUpperLayer {
    /**
     * Creates an endpoint that is not attached to a port yet.
     *
     * @param queuePairNumber 16 to 0xFFFFFE
     * @param table where peers' STags are looked up
     * @param domain the protection domain of its queue pair
     * @param sends its send queue
     * @param receives its receive queue; the endpoint gives receives back in any order
     * @param receiveDepth how many receives can be posted: half of them may be held by half received Sends
     * @param seen shared by the endpoints of one owner
     * @param randomness unguessable: handles of Reads, the first Message Id, the key of hashes
     */
    public DatagramEndpoint(
            DatagramService service,
            int queuePairNumber,
            DatagramSettings settings,
            STagTable table,
            long domain,
            OperationPool<DatagramOperation> sends,
            ReceiveSource receives,
            int receiveDepth,
            DatagramListener listener,
            SeenMessages seen,
            RandomGenerator randomness) {}

    private static UnsupportedOperationException notYet() {
        return new UnsupportedOperationException("comes with the next step");
    }

    // ---- any thread

    /** Something was published in the send queue. Cheap; may be called too often, and before the endpoint is attached. */
    public void posted() {
        throw notYet();
    }

    /** Something was published in the receive queue. Cheap; may be called too often, and before the endpoint is attached. */
    public void receivePosted() {
        throw notYet();
    }

    /** The listener has places for completions again, after {@link DatagramListener#writeRecorded} answered false. Cheap. */
    public void completionsFreed() {
        throw notYet();
    }

    /** {@return what it has counted} */
    public DatagramCounters counters() {
        throw notYet();
    }

    // ---- owner thread

    /**
     * The queue pair goes to the error state: everything posted comes back as {@code WR_FLUSH_ERR}, half received
     * Write-Records as {@code ABORTED}; nothing is sent or taken in until {@link #resume}. What is posted meanwhile comes back
     * flushed too. Idempotent.
     */
    public void stop(long nowNanos) {
        throw notYet();
    }

    /** The queue pair works again after {@link #stop}. */
    public void resume() {
        throw notYet();
    }

    /** Other limits are in force for what begins from now on; sizes of what was made at the beginning do not change. */
    public void settings(DatagramSettings changed) {
        throw notYet();
    }

    /**
     * A registration has ended (it must be invalid by now): operations and receives that use it complete with {@code
     * LOC_PROT_ERR}, half received Write-Records into it with {@code ABORTED}. The endpoint would notice by itself, but only
     * when it comes to use the memory.
     */
    public void deregistered(TaggedBuffer registration, long nowNanos) {
        throw notYet();
    }

    /**
     * Which octets of a region are covered by what has arrived of its Write-Records: those that are half received, and those
     * whose completion has not been released. For programs that watch memory instead of completions. May allocate.
     *
     * @param taggedOffset of the first octet asked about
     * @param length octets asked about
     * @param consumer takes the ranges, counted from the first octet asked about; ascending, disjoint, not touching
     */
    public void validity(TaggedBuffer region, long taggedOffset, long length, RangeConsumer consumer) {
        throw notYet();
    }

    // ---- the lower layer

    @Override
    public void onAttached(DatagramLowerLayer lower, long nowNanos) {
        throw notYet();
    }

    @Override
    public boolean asked(Shim shim, DatagramAddress source) {
        throw notYet();
    }

    @Override
    public SegmentFate onSegment(
            Shim shim,
            DatagramAddress source,
            boolean validated,
            @Nullable DatagramPeer peer,
            ByteBuffer buffer,
            int offset,
            int length,
            long nowNanos) {
        throw notYet();
    }

    @Override
    public TerminateCode refusal() {
        throw notYet();
    }

    @Override
    public void onNotify(Shim shim, DatagramAddress source, int control, long nowNanos) {
        throw notYet();
    }

    @Override
    public void onChallenge(Shim shim, DatagramAddress source, long cookieHigh, long cookieLow, long nowNanos) {
        throw notYet();
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        throw notYet();
    }

    @Override
    public boolean repeatSegment(Object message, int index, SegmentWriter out, long nowNanos) {
        throw notYet();
    }

    @Override
    public void onTransmitted(long nowNanos) {
        throw notYet();
    }

    @Override
    public void onAccepted(Object message, int segments, long nowNanos) {
        throw notYet();
    }

    @Override
    public void onUnsendable(Object message, String sentence, long nowNanos) {
        throw notYet();
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        throw notYet();
    }

    @Override
    public void onVersionList(Shim shim, DatagramAddress source, int versions, long nowNanos) {
        throw notYet();
    }

    @Override
    public long nextTimeout() {
        throw notYet();
    }

    @Override
    public void onTimeout(long nowNanos) {
        throw notYet();
    }

    @Override
    public void onDetached(long nowNanos) {
        throw notYet();
    }
}
