package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ReceiveOperation;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint tells the device above it. All calls come from the endpoint's owner, from within a call into the
 * endpoint; none may block, none may call the endpoint back except for its getters and what may be called by any thread.
 */
public interface DatagramListener {
    /**
     * An operation of the send queue is complete: each one once, signaled or not. Sends and Writes to one destination come
     * in the order they were posted; Reads when they end. It goes back to its pool when the call returns.
     *
     * @param status of a Read: {@code PARTIAL} if its time passed and some of the answer is placed, {@code
     *     RESP_TIMEOUT_ERR} if none is, the status of the peer's code if it refused
     * @param record what of a Read's answer of several datagrams arrived, if not all; to be given back with {@link
     *     MessageRecord#release}. Else null
     */
    void sendCompleted(DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record);

    /**
     * A receive is complete. It goes back to its source when the call returns.
     *
     * @param receipt valid during the call
     */
    void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt);

    /**
     * A Write-Record of a peer has ended: {@code SUCCESS}, {@code PARTIAL}, {@code EVICTED} or {@code ABORTED}, see {@link
     * MessageRecord#status}. Each one once.
     *
     * @param record the listener's, until {@link MessageRecord#release}, if it is taken
     * @return false if there is no place for the completion now: the endpoint keeps it, in order, and offers it again after
     *     {@link DatagramEndpoint#completionsFreed}
     */
    boolean writeRecorded(MessageRecord record);

    /**
     * Something happened that is no completion.
     *
     * @param event valid during the call
     */
    void event(DatagramEvent event);

    /** The port is gone; everything posted has come back. Called once, last. */
    void detached();
}
