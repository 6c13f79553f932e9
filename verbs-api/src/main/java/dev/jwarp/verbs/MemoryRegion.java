package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Registered memory: {@code ibv_mr}. Threads: any. */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain protectionDomain();

    /**
     * {@return the registered memory, from index 0 to {@link #length}} Every call returns the same big-endian buffer.
     * Change its position only if no other thread uses it, or use a {@code duplicate()}.
     *
     * <p>Atomics use the byte order of the machine, which on most machines is little-endian, so {@code putLong} on this
     * buffer writes another number than Atomics see. Use {@link #getAtomic} and {@link #setAtomic} for the operands of
     * Atomics.
     *
     * @throws RdmaException INVALID_ARGUMENT if the region has several buffers
     */
    ByteBuffer buffer();

    /**
     * {@return the registered memory as a list of consecutive buffers} Every call returns the same big-endian buffers.
     * None of several buffers is empty.
     *
     * <p>The list has one element, the same as {@link #buffer}, unless several buffers or a memory segment of more than
     * 1 GiB were registered. The buffers of such a segment have 1 GiB each, except the last one.
     */
    List<ByteBuffer> buffers();

    /**
     * {@return the 8 bytes at {@code offset} as a number in the machine's byte order, as Atomics see them}
     *
     * <p>A volatile read: it is never torn, and it sees earlier writes of this side and earlier Atomics of peers. RDMA
     * Writes of peers are not atomic with respect to it. Use it also for the old value that
     * {@link SendWorkRequest#fetchAndAdd} and {@link SendWorkRequest#compareAndSwap} return. Allocates nothing.
     *
     * @param offset bytes from the start of the region. The address in memory must be a multiple of 8; in regions of
     *     {@link ProtectionDomain#allocate} every multiple of 8 qualifies. The 8 bytes must be in one buffer.
     * @throws RdmaException INVALID_ARGUMENT if the address is not a multiple of 8, or the 8 bytes are in two buffers;
     *     OUT_OF_BOUNDS if the 8 bytes are not inside the region
     */
    long getAtomic(long offset);

    /**
     * Writes 8 bytes at {@code offset} as a number in the machine's byte order. A volatile write, atomic with respect
     * to Atomics of peers. Allocates nothing.
     *
     * @param offset as for {@link #getAtomic}
     * @param value a number in the machine's byte order
     * @throws RdmaException as {@link #getAtomic}; ACCESS_DENIED if the memory is read-only
     */
    void setAtomic(long offset, long value);

    /**
     * Sets the 8 bytes at {@code offset} to {@code replacement} if their value is {@code expected}. Atomic with respect
     * to Atomics of peers: the local form of {@link SendWorkRequest#compareAndSwap}. Allocates nothing.
     *
     * @param offset as for {@link #getAtomic}
     * @param expected a number in the machine's byte order
     * @param replacement a number in the machine's byte order
     * @return whether the value was replaced
     * @throws RdmaException as {@link #setAtomic}
     */
    boolean compareAndSetAtomic(long offset, long expected, long replacement);

    /** {@return the address of the first byte; a peer needs it together with {@link #rkey}} */
    long address();

    /** {@return the length in bytes: 0 to 2^40; see {@link DeviceAttributes#maxMemoryRegionSize}} */
    long length();

    /** {@return the key for local scatter/gather elements} */
    int lkey();

    /** {@return the key (STag) for peers; it is random and cannot be guessed} */
    int rkey();

    /** {@return the access flags; immutable} */
    Set<AccessFlag> access();

    /**
     * Datagrams: restricts the region to these peers, even if others know its key (datagram-iWARP §17). Applies to
     * datagrams that arrive after the call; each call replaces the previous one. A handle with queue pair number 0
     * stands for all queue pairs of its address. Connections do not check this: a memory window restricts memory to one
     * connection.
     *
     * @param peers handles of the permitted peers, read during the call; the program may close them later. An empty
     *     array permits no peer.
     * @throws RdmaException INVALID_ARGUMENT if a handle belongs to another context
     */
    void bindTo(AddressHandle... peers);

    /**
     * Datagrams: limits the time in which peers may use the region. After that time accesses of peers are refused as if
     * the region were deregistered; the local program may still use it (datagram-iWARP §17). Each call replaces the
     * previous one. Connections do not check this.
     *
     * @param time time from now, not negative. Zero takes effect at once. Any other time is checked once per turn of
     *     the receiving thread.
     * @throws RdmaException INVALID_ARGUMENT
     */
    void expireAfter(Duration time);

    /**
     * Deregisters the memory. Later accesses of peers and new work requests are refused; posted requests that are not
     * yet carried out fail with LOC_PROT_ERR. The call waits for data of peers that are being placed. After it returns,
     * no peer writes to the memory, so the program may use it for other purposes. The stack may still read the memory:
     * it sends pending Sends, Writes and Read Responses from there. Memory that is freed explicitly must therefore stay
     * valid until the requests that use it have completed and the peer's Reads are done. Direct buffers stay reachable
     * as long as the stack needs them.
     *
     * <p>The wait has no time limit, even if the placing thread gets no processor time.
     *
     * @throws RdmaException RESOURCE_BUSY if memory windows are bound to the region; WRONG_STATE if the wait is for another
     *     thread of the context, and the caller is one: the region is deregistered, and a further call on a thread of
     *     the program waits; INTERNAL if the placing thread has died, which is a bug of jwarp: the program must not use
     *     the memory again
     */
    @Override
    void close();
}
