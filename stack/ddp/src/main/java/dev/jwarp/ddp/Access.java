package dev.jwarp.ddp;

/**
 * Access rights of a {@link TaggedBuffer}: bits to be or-ed, with the values of {@code ibv_access_flags} where
 * libibverbs has them. Local reading is always permitted.
 */
public final class Access {
    /** This side may write: receive buffers, sinks of RDMA Reads, results of Atomics. */
    public static final int LOCAL_WRITE = 1;
    /** Peers may write by RDMA Write. */
    public static final int REMOTE_WRITE = 2;
    /** Peers may read by RDMA Read. */
    public static final int REMOTE_READ = 4;
    /** Peers may use Atomics. */
    public static final int REMOTE_ATOMIC = 8;
    /** Memory windows may be bound to it. */
    public static final int MW_BIND = 16;
    /** Peers may write by Write-Record, with a completion on this side. Not a bit of libibverbs. */
    public static final int RECORD = 1 << 25;
    /** With {@link #RECORD}: Write-Records sent to a group are accepted too. Not a bit of libibverbs. */
    public static final int GROUP = 1 << 26;

    /** The memory may disappear while it is in use: see {@link MappedMemory}. Not a bit of libibverbs. */
    public static final int MAPPED = 1 << 27;

    /**
     * The memory belongs to an arena, which may free it while it is registered; only access through Java detects that.
     * Data sent from it are copied. Not a bit of libibverbs, and not set by programs: registration sets it.
     */
    public static final int CLOSEABLE = 1 << 28;

    /** All bits that have a meaning. */
    static final int ALL =
            LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | MW_BIND | RECORD | GROUP | MAPPED | CLOSEABLE;
    /** Bits that permit changes of the memory. */
    static final int WRITES = LOCAL_WRITE | REMOTE_WRITE | REMOTE_ATOMIC | RECORD;
    /** Bits that permit access by peers. */
    static final int REMOTE = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | RECORD;

    private Access() {}
}
