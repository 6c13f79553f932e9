package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.llp.Deferring;
import dev.jwarp.ddp.llp.LimitSink;
import org.jspecify.annotations.Nullable;

/** The port as one of its queue pairs sees it. */
public interface DatagramLowerLayer extends Deferring {
    /** Says that {@link DatagramUpperLayer#pollSegment} has something to give. Any thread; cheap; may be called too often. */
    void doorbell();

    /** RD: a segment that was {@link SegmentFate#NOT_READY} may find room now (a receive was posted). Any thread; cheap. */
    void ready();

    /** Says that {@link DatagramUpperLayer#nextTimeout} may have moved forward. Owner thread only. */
    void timeoutChanged();

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);

    /**
     * Refuses a Read after all, whose answer cannot be finished because its memory is gone. UD: a NOTIFY in answer to that
     * datagram; RD: the channel is closed with this code. Owner thread only.
     *
     * @param peer the one that asked, and got the answer
     * @param question the shim of its Read Request; read during the call only
     */
    void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos);

    /**
     * RD: a message that was begun cannot be finished because its memory is gone. The channel is closed, and {@link
     * DatagramUpperLayer#onChannelLost} follows, possibly within this call. Owner thread only.
     */
    void abandon(DatagramPeer peer, long nowNanos);

    /** RD: a peer may be used again after its channel failed; null: all peers may. Owner thread only. */
    void resetPeer(@Nullable DatagramPeer peer);

    /**
     * RD: the queue pair is in the error state: every channel is closed with RD-RESET 3, without {@link
     * DatagramUpperLayer#onChannelLost}, nothing of any message is repeated or reported any more, and no channel is opened
     * until {@link #resume}. The layer above flushes after this. Idempotent. Owner thread only.
     */
    void stop(long nowNanos);

    /** RD: the queue pair works again, with all peers: those whose channel had failed too. Owner thread only. */
    void resume();

    /** Tells how much of the limits below the queue pair is used. Any thread. */
    default void limits(LimitSink sink) {}

    /** Takes the queue pair off the port: no call into it comes after {@link DatagramUpperLayer#onDetached}. Any thread. */
    void detach();
}
