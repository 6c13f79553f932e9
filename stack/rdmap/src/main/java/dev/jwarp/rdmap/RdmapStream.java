package dev.jwarp.rdmap;

import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.llp.LlpAgreement;
import dev.jwarp.ddp.llp.LlpEnd;
import dev.jwarp.ddp.llp.LowerLayer;
import dev.jwarp.ddp.llp.UlpduWriter;
import dev.jwarp.ddp.llp.UpperLayer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One RDMAP stream: the protocol of one queue pair over one connection (RFC 5040, RFC 7306).
 *
 * <p>Work goes in through the {@link OperationRing} of the send queue and the {@link ReceiveSource}; what comes of it is
 * told to the {@link StreamListener}. Every operation completes exactly once, those of the send queue in the order they
 * were posted.
 *
 * <p>Threads: everything here belongs to one owner at a time, the thread that moves the connection; only the producer side
 * of the ring, the counters and {@link #state} are for others. No method blocks or reads a clock.
 */
public final class RdmapStream implements UpperLayer {
    /**
     * Creates a stream without a connection.
     *
     * @param settings its configuration
     * @param table the STags of the device
     * @param domain its protection domain
     * @param streamId its number within the device, not 0: memory windows may be bound to it alone
     * @param sendQueue its send queue; this stream is the only consumer
     * @param receives where posted receives come from
     * @param listener is told what happens
     * @param counters of the device
     */
    public RdmapStream(
            StreamSettings settings,
            STagTable table,
            StreamDomain domain,
            long streamId,
            OperationRing<SendOperation> sendQueue,
            ReceiveSource receives,
            StreamListener listener,
            RdmapCounters counters) {}

    /** {@return the state} Any thread; a snapshot. */
    public StreamState state() {
        return StreamState.IDLE;
    }

    /** {@return what start-up came to, or null before} */
    public @Nullable LlpAgreement agreement() {
        return null;
    }

    /**
     * Ends the stream in order (RFC 5040 §6.2, RFC 5041 §6.2.1): what is posted by now is sent, then our direction ends
     * (TCP: FIN). Reads and Atomics that are not answered by then, what was posted later, and posted receives are flushed.
     * If it takes longer than {@link StreamSettings#disconnectTimeoutNanos}, the connection is aborted. Does nothing if the
     * stream is not in {@link StreamState#RTS}.
     */
    public void disconnect(long nowNanos) {}

    /**
     * Gives the stream up: aborts the connection, if there is one, and flushes everything. The state is
     * {@link StreamState#ERROR} afterwards, unless it was over before.
     */
    public void fail(long nowNanos) {}

    /**
     * Ends the stream because of a failure on this side that no message of the peer is to blame for, such as an overflow
     * of its completion queue: sends a Terminate, flushes everything, closes (RFC 5040 §4.8, §5.4). Without a connection
     * it is as {@link #fail}.
     *
     * @param code of RDMAP's layer, such as {@link TerminateCode#RDMAP_LOCAL_CATASTROPHIC}
     */
    public void terminate(TerminateCode code, long nowNanos) {}

    /**
     * Holds the send queue or lets it go on (the verbs' SQD state): while it is held, what was posted before is carried
     * out and what is posted afterwards waits.
     */
    public void holdSends(boolean hold) {}

    /**
     * Flushes what was posted after the stream had ended. Whoever posts to a stream that is over has its owner call this;
     * a call that is not needed does nothing.
     */
    public void flushPosted(long nowNanos) {}

    @Override
    public void onEstablished(LowerLayer lower, LlpAgreement agreement, long nowNanos) {}

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {}

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        return false;
    }

    @Override
    public void onTransmitted(long nowNanos) {}

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {}

    @Override
    public void onPeerClosed(long nowNanos) {}

    @Override
    public void onClosed(LlpEnd end, long nowNanos) {}

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}
}
