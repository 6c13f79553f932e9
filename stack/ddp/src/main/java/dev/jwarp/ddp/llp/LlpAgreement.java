package dev.jwarp.ddp.llp;

/**
 * What start-up came to.
 *
 * @param initiator true on the side that connected
 * @param ird inbound read depth: Read and Atomic Requests of the peer we must be able to hold
 * @param ord outbound read depth: how many of ours may be outstanding
 * @param readyToReceive the message the initiator sends first, or {@link ReadyToReceive#NONE}
 * @param writeAwaited initiator: whether the peer said that it waits for an empty RDMA Write, though no ready-to-receive
 *     message was agreed
 */
public record LlpAgreement(boolean initiator, int ird, int ord, ReadyToReceive readyToReceive, boolean writeAwaited) {
    /** What start-up came to with a peer that waits for nothing that was not agreed. */
    public LlpAgreement(boolean initiator, int ird, int ord, ReadyToReceive readyToReceive) {
        this(initiator, ird, ord, readyToReceive, false);
    }
}
