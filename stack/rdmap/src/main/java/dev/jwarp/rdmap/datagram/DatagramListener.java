package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.ReceiveOperation;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks of an endpoint to the device above. The owner of the endpoint calls them from within a call into the
 * endpoint. A callback must not block, and may call only getters of the endpoint and methods for any thread.
 */
public interface DatagramListener {
    /**
     * An operation of the send queue is complete. Called once for each operation, signaled or not. Sends and Writes to
     * one destination complete in the order they were posted; Reads when they end. The operation is released to its
     * pool when the call returns.
     *
     * @param status for a Read: {@code PARTIAL} if the time limit passed and part of the response is placed, {@code
     *     RESP_TIMEOUT_ERR} if none is, the status of the peer's code if the peer refused
     * @param record for an incomplete Read Response of several datagrams, the parts that arrived; the listener calls
     *     {@link MessageRecord#release}. Otherwise null
     */
    void sendCompleted(DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record);

    /**
     * A receive is complete. The receive is released to its source when the call returns.
     *
     * @param receipt valid during the call
     */
    void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt);

    /**
     * A Write-Record of a peer has ended with {@code SUCCESS}, {@code PARTIAL}, {@code EVICTED} or {@code ABORTED}, see
     * {@link MessageRecord#status}. Accepted once for each Write-Record.
     *
     * @param record belongs to the listener until {@link MessageRecord#release} if the call returns true
     * @return false if the completion queue is full now: the endpoint keeps the record, in order, and offers it again
     *     after {@link DatagramEndpoint#completionsFreed}
     */
    boolean writeRecorded(MessageRecord record);

    /**
     * Reports an event that is no completion.
     *
     * @param event valid during the call
     */
    void event(DatagramEvent event);

    /** The port is closed and all posted work is completed. Called once, last. */
    void detached();
}
