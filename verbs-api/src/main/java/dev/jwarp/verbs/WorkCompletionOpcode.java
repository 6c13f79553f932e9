package dev.jwarp.verbs;

/** What completed; names and numbers of {@code ibv_wc_opcode}, jwarp's own from 64 and 192 on. */
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
    /** A memory window was bound. */
    BIND_MW(5),
    /** A local STag was invalidated. */
    LOCAL_INV(6),
    /** A Write-Record that this side sent. */
    WRITE_RECORD(64),
    /** A receive that a Send filled. */
    RECV(128),
    /**
     * A receive that Immediate Data took (RFC 7306 §6); {@link WorkCompletion#immediateData} has its 8 bytes. In iWARP
     * Immediate Data after an RDMA Write looks the same as Immediate Data alone.
     */
    RECV_RDMA_WITH_IMM(129),
    /**
     * A Write-Record of a peer, in whole or in part; no receive was posted for it, so its id means nothing. {@link
     * WorkCompletion#localKey}, {@link WorkCompletion#localAddress} and {@link WorkCompletion#messageLength} say which
     * of our memory it was for, {@link WorkCompletion#validity} which bytes came.
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

    /** {@return true for completions of receives} */
    public boolean isReceive() {
        return number >= 128;
    }
}
