package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Keeps memory and queue pairs that may use each other together, apart from all others: {@code ibv_pd}. Threads: any.
 */
public interface ProtectionDomain extends AutoCloseable {
    /** {@return the context} */
    Context context();

    /** {@return a number that no other domain of the context has now} */
    int handle();

    /**
     * Registers memory under an address of the device's choice: page aligned, and shared with no other region. Otherwise
     * as {@link #register(ByteBuffer, long, AccessFlag...)}.
     *
     * @param memory a direct buffer
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    MemoryRegion register(ByteBuffer memory, AccessFlag... access);

    /**
     * As {@link #register(ByteBuffer, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion register(ByteBuffer memory, Set<AccessFlag> access) {
        return register(memory, flags(access));
    }

    /**
     * Registers memory.
     *
     * @param memory a direct buffer; the part from its position to its limit is registered, and neither is changed. The
     *     region keeps the buffer reachable as long as the region, or an operation on it, exists. Its byte order does
     *     not matter. A mapped file is recognised, and gets {@link AccessFlag#MAPPED} by itself. A buffer of a memory
     *     segment must be one that any thread may use, and its arena must stay open until the region is closed:
     *     otherwise connections that use it end, with the exception as their cause. Better register the segment itself:
     *     {@link #registerSegment(Object, long, AccessFlag...)}.
     * @param address by which the peer, and scatter/gather elements, name the first byte (libibverbs:
     *     {@code ibv_reg_mr_iova}); any, as long as address + length does not reach 2^64
     * @param access what it may be used for; none: only as the source of Sends and RDMA Writes
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT if the buffer is not direct, is read-only but to be written, if the range
     *     wraps around 2^64, or REMOTE_WRITE or REMOTE_ATOMIC is given without LOCAL_WRITE; LIMIT_REACHED
     */
    MemoryRegion register(ByteBuffer memory, long address, AccessFlag... access);

    /**
     * As {@link #register(ByteBuffer, long, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param address by which the first byte is named
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion register(ByteBuffer memory, long address, Set<AccessFlag> access) {
        return register(memory, address, flags(access));
    }

    /**
     * Registers several buffers as one region, under an address of the device's choice. Otherwise as {@link #register(List, long,
     * AccessFlag...)}.
     *
     * @param memory direct buffers
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    MemoryRegion register(List<ByteBuffer> memory, AccessFlag... access);

    /**
     * As {@link #register(List, AccessFlag...)}, with the flags as a set.
     *
     * @param memory direct buffers
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion register(List<ByteBuffer> memory, Set<AccessFlag> access) {
        return register(memory, flags(access));
    }

    /**
     * Registers several buffers as one region: its addresses are those of the first buffer's bytes, of the second's behind them, and
     * so on, wherever the buffers are in memory. So a region may have more than the 2^31 - 1 bytes of a buffer: several
     * {@code FileChannel.map} of one file, for example. Messages, elements and windows may lie across buffers; the 8 bytes of an
     * Atomic must be in one buffer. Everything holds for each buffer that {@link #register(ByteBuffer, long, AccessFlag...)} says.
     *
     * @param memory direct buffers; what is between position and limit of each. The list is not used afterwards. If one is a mapped
     *     file, all are treated as such ({@link AccessFlag#MAPPED})
     * @param address by which the first byte is named; any, as long as address + length of all does not reach 2^64
     * @param access what it may be used for
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT as for one buffer, or if all together are longer than {@link
     *     DeviceAttributes#maxMemoryRegionSize}; LIMIT_REACHED
     */
    MemoryRegion register(List<ByteBuffer> memory, long address, AccessFlag... access);

    /**
     * As {@link #register(List, long, AccessFlag...)}, with the flags as a set.
     *
     * @param memory direct buffers
     * @param address by which the first byte is named
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion register(List<ByteBuffer> memory, long address, Set<AccessFlag> access) {
        return register(memory, address, flags(access));
    }

    /**
     * Registers a memory segment, under an address of the device's choice. Otherwise as {@link #registerSegment(Object, long,
     * AccessFlag...)}.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    MemoryRegion registerSegment(Object segment, AccessFlag... access);

    /**
     * As {@link #registerSegment(Object, AccessFlag...)}, with the flags as a set.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion registerSegment(Object segment, Set<AccessFlag> access) {
        return registerSegment(segment, flags(access));
    }

    /**
     * Registers a memory segment of Java 22 and later, of any size up to {@link DeviceAttributes#maxMemoryRegionSize}. Its type is
     * {@code Object} here because this module is made for Java 17.
     *
     * <p>The region keeps the segment reachable, but not its arena open. If the arena is closed while the region is in use, what uses
     * it ends: a connection, or a datagram queue pair, with the {@code IllegalStateException} as its cause. The JVM does not end. While
     * a copy to or from the segment is in progress, closing the arena fails or waits as the JDK says. What is sent from a
     * segment is copied once, as from a mapped file. A segment of a mapped file is recognised, and gets {@link AccessFlag#MAPPED}.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}: native or mapped, and such that every thread may use it (shared,
     *     automatic or global arena)
     * @param address by which the first byte is named; any, as long as address + length does not reach 2^64
     * @param access what it may be used for
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT if it is no memory segment, is in the Java heap, belongs to one thread, or its arena is
     *     closed; and as {@link #register(ByteBuffer, long, AccessFlag...)}
     */
    MemoryRegion registerSegment(Object segment, long address, AccessFlag... access);

    /**
     * As {@link #registerSegment(Object, long, AccessFlag...)}, with the flags as a set.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param address by which the first byte is named
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion registerSegment(Object segment, long address, Set<AccessFlag> access) {
        return registerSegment(segment, address, flags(access));
    }

    /**
     * Datagrams: registers memory with a key that the caller chooses, too. Write-Records that are sent to a group need
     * this: all members of the group agree on address and key (datagram-iWARP §12). Otherwise as {@link
     * #register(ByteBuffer, long, AccessFlag...)}.
     *
     * @param memory a direct buffer
     * @param address by which the first byte is named
     * @param rkey not 0; a host that guesses it can write here, so choose it at random
     * @param access with {@link AccessFlag#GROUP}
     * @return the region; the caller closes it
     * @throws RdmaException also INVALID_ARGUMENT if the key is taken or GROUP is missing; NOT_SUPPORTED if the device has
     *     connections
     */
    MemoryRegion registerForGroup(ByteBuffer memory, long address, int rkey, AccessFlag... access);

    /**
     * As {@link #registerForGroup(ByteBuffer, long, int, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param address by which the first byte is named
     * @param rkey not 0, chosen at random
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion registerForGroup(ByteBuffer memory, long address, int rkey, Set<AccessFlag> access) {
        return registerForGroup(memory, address, rkey, flags(access));
    }

    /**
     * Allocates memory, page aligned and zeroed, and registers it.
     *
     * @param length bytes
     * @param access what it may be used for
     * @return the region; {@link MemoryRegion#buffer} is its memory. The caller closes it.
     * @throws RdmaException as {@link #register(ByteBuffer, long, AccessFlag...)}; LIMIT_REACHED if the JVM has no more
     *     direct memory (-XX:MaxDirectMemorySize)
     */
    MemoryRegion allocate(int length, AccessFlag... access);

    /**
     * As {@link #allocate(int, AccessFlag...)}, with the flags as a set.
     *
     * @param length bytes
     * @param access what it may be used for
     * @return the region; the caller closes it
     */
    default MemoryRegion allocate(int length, Set<AccessFlag> access) {
        return allocate(length, flags(access));
    }

    private static AccessFlag[] flags(Set<AccessFlag> access) {
        return RdmaException.requireArgument(access, "access").toArray(AccessFlag[]::new);
    }

    /** {@return a new memory window, not bound to anything; the caller closes it} */
    MemoryWindow allocateWindow();

    /**
     * {@return a new shared receive queue for queue pairs of this domain, with connections or for datagrams as the device has
     * them; the caller closes it}
     *
     * @param maxWorkRequests receives that can be outstanding at one time
     * @param maxScatterGatherElements elements of one receive
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if it is more than the device has
     */
    SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements);

    /**
     * {@return a new queue pair in state RESET; the caller closes it}
     *
     * <p>Usually you want {@link CmId#createQueuePair}: a queue pair is connected through an id.
     *
     * @param attributes what it is made with
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if it is more than the device has
     */
    QueuePair createQueuePair(QueuePairAttributes attributes);

    /**
     * {@return a new queue pair for datagrams, in state RTS; the caller closes it}
     *
     * @param type UD or RD
     * @param attributes as for a queue pair of a connection
     * @param datagrams what a datagram queue pair has in addition
     * @throws RdmaException NOT_SUPPORTED on a device for connections; INVALID_ARGUMENT or LIMIT_REACHED if it is more
     *     than the device has; ADDRESS_IN_USE if the port, the number or the place of the default queue pair is taken;
     *     ADDRESS_NOT_AVAILABLE if this host does not have the address; PERMISSION_DENIED for a port that this user may
     *     not have
     */
    DatagramQueuePair createDatagramQueuePair(
            QueuePairType type, QueuePairAttributes attributes, DatagramAttributes datagrams);

    /**
     * Frees the domain.
     *
     * @throws RdmaException RESOURCE_BUSY if regions, windows, queue pairs or shared receive queues are left in it
     */
    @Override
    void close();
}
