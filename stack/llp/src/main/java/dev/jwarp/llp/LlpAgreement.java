package dev.jwarp.llp;

/**
 * The result of start-up.
 *
 * @param initiator true on the side that connected
 * @param ird inbound read depth: maximum number of outstanding Read and Atomic Requests of the peer
 * @param ord outbound read depth: maximum number of outstanding Read and Atomic Requests of this side
 * @param readyToReceive the first message of the initiator, or {@link ReadyToReceive#NONE}
 * @param writeAwaited initiator: whether the peer announced that it waits for an empty RDMA Write, although no
 *     ready-to-receive message was negotiated
 */
public record LlpAgreement(boolean initiator, int ird, int ord, ReadyToReceive readyToReceive, boolean writeAwaited) {
    /** Creates a result without {@code writeAwaited}. */
    public LlpAgreement(boolean initiator, int ird, int ord, ReadyToReceive readyToReceive) {
        this(initiator, ird, ord, readyToReceive, false);
    }
}
