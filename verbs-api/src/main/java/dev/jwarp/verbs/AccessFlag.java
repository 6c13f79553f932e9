package dev.jwarp.verbs;

/**
 * The permitted uses of a memory region or window. The bits are those of {@code ibv_access_flags}; the bits from 2^25
 * on are jwarp's.
 */
public enum AccessFlag {
    /** The local device may write: required for receive buffers and for the sink of an RDMA Read or Atomic. */
    LOCAL_WRITE(1),
    /** The peer may write with RDMA Write: over RC or RD. Needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read with RDMA Read. */
    REMOTE_READ(1 << 2),
    /**
     * The peer may use Atomic operations (RFC 7306 §5). Needs {@link #LOCAL_WRITE}. Atomics use the machine's byte
     * order: see {@link MemoryRegion#getAtomic}.
     */
    REMOTE_ATOMIC(1 << 3),
    /** Memory windows may be bound to the region. */
    MW_BIND(1 << 4),
    /**
     * Datagrams: peers may write with Write-Record. Each Write-Record ends with a local completion that tells which
     * bytes arrived.
     */
    RECORD(1 << 25),
    /** Datagrams: Write-Records sent to a group are accepted too. Used together with {@link #RECORD}. */
    GROUP(1 << 26),
    /**
     * The memory is a mapped file, which may be truncated while it is in use. Data sent from the region are copied, and
     * each copy to or from it is checked: if the memory is gone, the connection ends with an InternalError as its
     * cause. Without this flag the JVM may crash (SIGBUS). Buffers of {@code FileChannel.map} get the flag
     * automatically; set it for memory mapped in another way. The flag costs about a microsecond and some bytes of heap
     * per message.
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
