package dev.jwarp.verbs;

/**
 * What a memory region or window may be used for; the numbers are those of {@code ibv_access_flags}, or jwarp's
 * own from 2^24 on.
 */
public enum AccessFlag {
    /** Our own device may write: needed for receive buffers and for the sink of an RDMA Read or Atomic. */
    LOCAL_WRITE(1),
    /** The peer may write with RDMA Write. Needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read with RDMA Read. */
    REMOTE_READ(1 << 2),
    /**
     * The peer may use Atomic operations (RFC 7306 §5). Needs {@link #LOCAL_WRITE}. Their words are in the machine's byte
     * order: {@link MemoryRegion#getAtomic}.
     */
    REMOTE_ATOMIC(1 << 3),
    /** Memory windows may be bound to the region. */
    MW_BIND(1 << 4),
    /**
     * Peers may write with RDMA Write in datagrams: this side does not learn when, from which peer, or which parts
     * arrived.
     */
    UD_WRITE(1 << 24),
    /** Peers may write with Write-Record, which ends in a completion here that says what arrived. */
    RECORD(1 << 25),
    /** Write-Records that are sent to a group are taken too. Goes with {@link #RECORD}. */
    GROUP(1 << 26),
    /**
     * The memory is a mapped file, which may become shorter while it is in use. What is sent from it is copied, and
     * each copy to or from it is checked: if the memory is gone, the connection ends, with an InternalError as its
     * cause. Without this flag the JVM may end (SIGBUS). Buffers of {@code FileChannel.map} get this flag by
     * themselves; give it for memory that was mapped in another way. It costs about a microsecond and some bytes of
     * heap for each message of such memory.
     */
    MAPPED(1 << 27);

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /** {@return the bit} */
    public int bit() {
        return bit;
    }
}
