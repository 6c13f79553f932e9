package dev.jwarp.verbs;

/** The operation that completed. Names and numbers are those of {@code ibv_wc_opcode}; 64 and 192 are jwarp's. */
public enum WorkCompletionOpcode {
    /** A Send of any kind, or Immediate Data. */
    SEND(0),
    /** An RDMA Write, with or without Immediate Data. */
    RDMA_WRITE(1),
    /** An RDMA Read. */
    RDMA_READ(2),
    /** An Atomic compare and swap. */
    COMP_SWAP(3),
    /** An Atomic fetch and add. */
    FETCH_ADD(4),
    /** A binding of a memory window. */
    BIND_MW(5),
    /** An invalidation of a local STag. */
    LOCAL_INV(6),
    /** A Write-Record that this side sent. */
    WRITE_RECORD(64),
    /** A receive consumed by a Send. */
    RECV(128),
    /**
     * A receive consumed by Immediate Data (RFC 7306 §6). {@link WorkCompletion#immediateData} returns its 8 bytes.
     * iWARP does not distinguish Immediate Data after an RDMA Write from Immediate Data alone.
     */
    RECV_RDMA_WITH_IMM(129),
    /**
     * A Write-Record of a peer that arrived completely or partly. It consumed no receive, so the id of the completion
     * is undefined. {@link WorkCompletion#localKey}, {@link WorkCompletion#localAddress} and
     * {@link WorkCompletion#messageLength} name the local target memory; {@link WorkCompletion#validity} tells which
     * bytes arrived.
     */
    RECV_WRITE_RECORD(192);

    private final int number;

    WorkCompletionOpcode(int number) {
        this.number = number;
    }

    /** {@return the number of {@code ibv_wc_opcode}} */
    public int number() {
        return number;
    }

    /** {@return true for receives and for Write-Records of a peer} */
    public boolean isReceive() {
        return number >= 128;
    }
}
