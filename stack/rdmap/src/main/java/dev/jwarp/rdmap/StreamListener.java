package dev.jwarp.rdmap;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import org.jspecify.annotations.Nullable;

/**
 * What a stream tells the device above it. All calls come from the stream's owner, from within a call into the stream;
 * none may block, none may call the stream back except for its getters.
 */
public interface StreamListener {
    /**
     * An operation of the send queue is complete: each one once, in the order they were posted, signaled or not. Its slot
     * goes back to the producer when the call returns.
     */
    void sendCompleted(SendOperation operation, OperationStatus status);

    /**
     * A receive is complete: each one that the stream took once, in the order they were taken. It goes back to its
     * {@link ReceiveSource} when the call returns.
     *
     * @param details valid during the call
     */
    void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details);

    /** The stream is in another state. */
    void stateChanged(StreamState state);

    /**
     * The peer ended its direction in order (RFC 5041 §6.2.1): no message will come any more, outstanding Reads and
     * Atomics fail; Sends and Writes still go out until this side disconnects too.
     */
    void peerClosed();

    /**
     * The stream failed. Called once, for the first error; flushed operations follow.
     *
     * @param code what was wrong; null if the peer's Terminate has a code that no RFC defines
     * @param foundHere true if this side found the error (the peer is told in a Terminate where the rules let us), false
     *     if the peer told us in its Terminate
     * @param message the peer's Terminate, or the one sent; null if there is none
     */
    void failed(@Nullable TerminateCode code, boolean foundHere, @Nullable TerminateMessage message);

    /** The connection is gone; everything posted has come back. Called once, last. */
    void closed(LlpEnd end);
}
