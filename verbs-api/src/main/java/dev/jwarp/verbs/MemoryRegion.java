package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Registered memory: {@code ibv_mr}. Threads: any. */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the domain} */
    ProtectionDomain protectionDomain();

    /**
     * {@return the registered memory, from index 0 to {@link #length}: the same object at every call, big-endian; set
     * positions only if no other thread uses it, or take a {@code duplicate()}}
     *
     * <p>Atomics use the byte order of the machine, on most machines little-endian: what {@code putLong} wrote here is
     * another number to them. Read and write the words of Atomics with {@link #getAtomic} and {@link #setAtomic}.
     *
     * @throws RdmaException INVALID_ARGUMENT if the region has several buffers
     */
    ByteBuffer buffer();

    /**
     * {@return the registered memory as buffers, one behind the other, none empty if there are several: the same objects at every
     * call, big-endian}
     *
     * <p>One, the same as {@link #buffer}, unless several were registered, or a memory segment of more than 1 GiB: its buffers
     * have 1 GiB each, but for the last one.
     */
    List<ByteBuffer> buffers();

    /**
     * {@return the 8 bytes at {@code offset} as Atomics see them: a number in the machine's byte order}
     *
     * <p>Volatile: the value is never part of an old and part of a new one, also while peers change it; and what this
     * side or a peer's Atomic wrote there before is seen. A peer's RDMA Write is not atomic against this. It also reads
     * the old value that {@link SendWorkRequest#fetchAndAdd} and {@link SendWorkRequest#compareAndSwap} bring, if that
     * lies at such an offset. Allocates nothing.
     *
     * @param offset bytes from the start of the region; the address in memory must be a multiple of 8, as each multiple of 8
     *     is in regions of {@link ProtectionDomain#allocate}, and the 8 bytes must be in one buffer
     * @throws RdmaException INVALID_ARGUMENT if the address is no multiple of 8, or the 8 bytes are in two buffers;
     *     OUT_OF_BOUNDS if they are not inside the region
     */
    long getAtomic(long offset);

    /**
     * Writes the 8 bytes at {@code offset} as Atomics see them: a number in the machine's byte order. Volatile: every Atomic
     * comes before it or after it, and sees the value whole. Allocates nothing.
     *
     * @param offset as for {@link #getAtomic}
     * @param value a number in the machine's byte order
     * @throws RdmaException as {@link #getAtomic}; ACCESS_DENIED if the memory is read-only
     */
    void setAtomic(long offset, long value);

    /**
     * Does on this side what a peer's {@link SendWorkRequest#compareAndSwap} does: puts {@code replacement} into the 8 bytes at {@code offset} if {@code expected} is there. One
     * step: of all that would replace the same value, this and the Atomics of peers, one does. Allocates nothing.
     *
     * @param offset as for {@link #getAtomic}
     * @param expected a number in the machine's byte order
     * @param replacement a number in the machine's byte order
     * @return whether it is replaced
     * @throws RdmaException as {@link #setAtomic}
     */
    boolean compareAndSetAtomic(long offset, long expected, long replacement);

    /** {@return the address of the first byte; the peer needs it together with {@link #rkey}} */
    long address();

    /** {@return the length in bytes: 0 to 2^40, see {@link DeviceAttributes#maxMemoryRegionSize}} */
    long length();

    /** {@return the key for local scatter/gather elements} */
    int lkey();

    /** {@return the key (STag) for the peer; it cannot be guessed} */
    int rkey();

    /** {@return what it may be used for; cannot be changed} */
    Set<AccessFlag> access();

    /**
     * Datagrams: lets these peers use the region and no others, even if others know its key (datagram-iWARP §17). Holds
     * for what arrives from now on; the last call counts. A handle with queue pair number 0 means all queue pairs of
     * its address.
     *
     * @param peers the peers that may use it, as the handles are now; the handles may be closed. None: no peer
     * @throws RdmaException NOT_SUPPORTED if the device has connections: there a memory window makes memory usable by
     *     one connection alone; INVALID_ARGUMENT if a handle is of another context
     */
    void bindTo(AddressHandle... peers);

    /**
     * Datagrams: lets peers use the region for this time and no longer. After it, peers are refused as if the region
     * were deregistered, while its owner may still use it (datagram-iWARP §17). The last call counts.
     *
     * @param time from now on, not negative. Zero ends the use at once. Any other time is compared with the clock at
     *     the beginning of each turn of the receiving thread
     * @throws RdmaException NOT_SUPPORTED if the device has connections; INVALID_ARGUMENT
     */
    void expireAfter(Duration time);

    /**
     * Deregisters. From then on the peer's accesses are refused, and so are new work requests; requests posted before
     * that have not been carried out fail with LOC_PROT_ERR. Waits for peers' data that is being placed at this moment:
     * when this returns, no byte of a peer comes into the memory any more, so it may be used for something else. It may
     * still be read for a while: Sends, Writes and Read Responses that are on their way to a peer are sent from it.
     * Memory that is freed by hand must therefore stay until the requests that use it have completed and the peer's
     * Reads are done. The registration itself keeps a direct buffer alive as long as it needs it.
     *
     * <p>Waits as long as it takes, also where the thread that places gets no processor time.
     *
     * @throws RdmaException RESOURCE_BUSY if memory windows are bound to it; INTERNAL if the thread that may have been placing
     *     is dead, a bug of jwarp: the memory must not be used again then
     */
    @Override
    void close();
}
