package dev.jwarp.verbs;

/**
 * The operation of a {@link SendWorkRequest}. The names are those of {@code ibv_wr_opcode}. iWARP has no Send with
 * immediate data; use {@link #IMMEDIATE_DATA}.
 */
public enum WorkRequestOpcode {
    /** RC, RD: writes local memory to the peer's memory; the peer's program gets no completion. RFC 5040 §5.1. */
    RDMA_WRITE(WorkCompletionOpcode.RDMA_WRITE),
    /** An RDMA Write followed by 8 bytes of Immediate Data, which consume a receive of the peer. RFC 7306 §6. */
    RDMA_WRITE_WITH_IMM(WorkCompletionOpcode.RDMA_WRITE),
    /**
     * Datagrams: writes local memory to the peer's memory. The peer's program gets a completion even if only a part of
     * the message arrives. No receive is consumed. datagram-iWARP §7.
     */
    WRITE_RECORD(WorkCompletionOpcode.WRITE_RECORD),
    /** Sends local memory to the next receive buffer of the peer. RFC 5040 §5.3. */
    SEND(WorkCompletionOpcode.SEND),
    /** A Send that also invalidates an STag of the peer. RFC 5040 §5.3. */
    SEND_WITH_INV(WorkCompletionOpcode.SEND),
    /** Sends 8 bytes of Immediate Data alone, which consume a receive of the peer. RFC 7306 §6. */
    IMMEDIATE_DATA(WorkCompletionOpcode.SEND),
    /**
     * Reads the peer's memory into local memory. The local memory needs {@link AccessFlag#LOCAL_WRITE}. RFC 5040 §5.2.
     */
    RDMA_READ(WorkCompletionOpcode.RDMA_READ),
    /** An RDMA Read that invalidates the STag of its local sink when the Read completes. */
    RDMA_READ_WITH_INV(WorkCompletionOpcode.RDMA_READ),
    /**
     * Compares 8 bytes of the peer's memory, replaces them if they are equal, and returns the old value. RFC 7306 §5.
     */
    ATOMIC_CMP_AND_SWP(WorkCompletionOpcode.COMP_SWAP),
    /** Adds to 8 bytes of the peer's memory and returns the old value. RFC 7306 §5. */
    ATOMIC_FETCH_AND_ADD(WorkCompletionOpcode.FETCH_ADD),
    /** Makes a local STag unusable. */
    LOCAL_INV(WorkCompletionOpcode.LOCAL_INV),
    /** Binds a memory window to a part of a memory region. */
    BIND_MW(WorkCompletionOpcode.BIND_MW);

    private final WorkCompletionOpcode completion;

    WorkRequestOpcode(WorkCompletionOpcode completion) {
        this.completion = completion;
    }

    /** {@return the opcode in the completion of a request with this opcode} */
    public WorkCompletionOpcode completionOpcode() {
        return completion;
    }
}
