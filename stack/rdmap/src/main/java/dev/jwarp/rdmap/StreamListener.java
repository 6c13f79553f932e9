package dev.jwarp.rdmap;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks of a stream to the device above. The owner of the stream calls them from within a call into the stream. A
 * callback must not block, and may call only getters of the stream.
 */
public interface StreamListener {
    /**
     * An operation of the send queue is complete. Called once for each operation, signaled or not, in the order they
     * were posted. The slot is released to the producer when the call returns.
     */
    void sendCompleted(SendOperation operation, OperationStatus status);

    /**
     * A receive is complete. Called once for each receive that the stream took, in the order they were taken. The
     * receive is released to its {@link ReceiveSource} when the call returns.
     *
     * @param details valid during the call
     */
    void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details);

    /** The state of the stream changed. */
    void stateChanged(StreamState state);

    /**
     * The peer ended its direction in order (RFC 5041 §6.2.1): no further message arrives, and outstanding Reads and
     * Atomics fail. Sends and Writes are still sent until this side disconnects too.
     */
    void peerClosed();

    /**
     * The stream failed. Called once, for the first error; flushed operations follow.
     *
     * @param code the error; null if the peer's Terminate is malformed or has a code that no RFC defines
     * @param foundHere true if this side found the error (and sends a Terminate where the rules allow), false if the
     *     peer reported it in its Terminate
     * @param message the peer's Terminate, or the one sent; null if there is none
     */
    void failed(@Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message);

    /** The connection has ended and all posted work is completed. Called once, last. */
    void closed(LlpEnd end);
}
