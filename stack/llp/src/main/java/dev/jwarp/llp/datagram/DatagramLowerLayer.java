package dev.jwarp.llp.datagram;

import dev.jwarp.llp.Deferring;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.TerminateCode;
import org.jspecify.annotations.Nullable;

/** The interface of a port for one of its queue pairs. */
public interface DatagramLowerLayer extends Deferring {
    /**
     * Announces that {@link DatagramUpperLayer#pollSegment} has output. Any thread; cheap; superfluous calls are
     * harmless.
     */
    void doorbell();

    /**
     * RD: a segment that was {@link SegmentFate#NOT_READY} may be accepted now (a receive was posted). Any thread;
     * cheap.
     */
    void ready();

    /** Announces that {@link DatagramUpperLayer#nextTimeout} may be earlier now. Owner thread only. */
    void timeoutChanged();

    /** {@return whether {@link #execute} runs a task at once, on the thread that moves the port} Any thread. */
    default boolean isHere() {
        return true;
    }

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);

    /**
     * Refuses a Read whose response cannot be completed because its memory is deregistered. UD: sends a NOTIFY for the
     * request; RD: closes the channel with this code. Owner thread only.
     *
     * @param peer the requester
     * @param question shim of the Read Request; read only during the call
     */
    void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos);

    /**
     * RD: a partly sent message cannot be completed because its memory is deregistered. The channel is closed, and
     * {@link DatagramUpperLayer#onChannelLost} follows, possibly within this call. Owner thread only.
     */
    void abandon(DatagramPeer peer, long nowNanos);

    /** RD: permits the use of a peer again after its channel failed; null for all peers. Owner thread only. */
    void resetPeer(@Nullable DatagramPeer peer);

    /**
     * RD: the queue pair enters the error state. Every channel is closed with RD-RESET 3, without
     * {@link DatagramUpperLayer#onChannelLost}; nothing is retransmitted or reported any more; no channel is opened
     * until {@link #resume}. The layer above flushes after this. Idempotent. Owner thread only.
     */
    void stop(long nowNanos);

    /** RD: the queue pair works again, with all peers, including those whose channel had failed. Owner thread only. */
    void resume();

    /** Reports the use of the limits of the layers below. Any thread. */
    default void limits(LimitSink sink) {}

    /** Detaches the queue pair from the port: {@link DatagramUpperLayer#onDetached} is the last call. Any thread. */
    void detach();
}
