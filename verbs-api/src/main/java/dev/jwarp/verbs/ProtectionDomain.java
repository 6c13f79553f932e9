package dev.jwarp.verbs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * A group of memory regions and queue pairs that may use each other, isolated from all others: {@code ibv_pd}. Threads:
 * any.
 */
public interface ProtectionDomain extends AutoCloseable {
    /** {@return the context} */
    Context context();

    /** {@return a number unique among the open domains of the context} */
    int handle();

    /**
     * Registers memory at an address that the device chooses: page aligned, and used by no other region. Otherwise as
     * {@link #register(ByteBuffer, long, AccessFlag...)}.
     *
     * @param memory a direct buffer
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    MemoryRegion register(ByteBuffer memory, AccessFlag... access);

    /**
     * As {@link #register(ByteBuffer, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion register(ByteBuffer memory, Set<AccessFlag> access) {
        return register(memory, flags(access));
    }

    /**
     * Registers memory.
     *
     * @param memory a direct buffer, registered from position to limit, neither of which changes. The buffer stays
     *     reachable as long as the region, or an operation on it, exists. Its byte order is irrelevant. A mapped file
     *     gets {@link AccessFlag#MAPPED} automatically. A buffer of a memory segment must be accessible by any thread,
     *     and its arena must stay open until the region is closed; otherwise connections that use it end with the
     *     exception as their cause. {@link #registerSegment(Object, long, AccessFlag...)} is better for segments.
     * @param address address of the first byte for peers and scatter/gather elements (libibverbs:
     *     {@code ibv_reg_mr_iova}); any value with address + length below 2^64
     * @param access permitted uses; without a flag only as the source of Sends and RDMA Writes
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT if the buffer is not direct, if it is read-only and a flag permits
     *     writing, if the range wraps around 2^64, or if REMOTE_WRITE or REMOTE_ATOMIC is given without LOCAL_WRITE;
     *     LIMIT_REACHED
     */
    MemoryRegion register(ByteBuffer memory, long address, AccessFlag... access);

    /**
     * As {@link #register(ByteBuffer, long, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param address address of the first byte
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion register(ByteBuffer memory, long address, Set<AccessFlag> access) {
        return register(memory, address, flags(access));
    }

    /**
     * Registers several buffers as one region at an address that the device chooses. Otherwise as
     * {@link #register(List, long, AccessFlag...)}.
     *
     * @param memory direct buffers
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    MemoryRegion register(List<ByteBuffer> memory, AccessFlag... access);

    /**
     * As {@link #register(List, AccessFlag...)}, with the flags as a set.
     *
     * @param memory direct buffers
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion register(List<ByteBuffer> memory, Set<AccessFlag> access) {
        return register(memory, flags(access));
    }

    /**
     * Registers several buffers as one region. The addresses of the region are consecutive: each buffer follows the
     * previous one, wherever the buffers are in memory. So a region may be longer than the 2^31 - 1 bytes of a buffer;
     * for example, it may consist of several {@code FileChannel.map} of one file. Messages, elements and windows may
     * span buffers; the 8 bytes of an Atomic must be in one buffer. The rules of
     * {@link #register(ByteBuffer, long, AccessFlag...)} apply to each buffer.
     *
     * @param memory direct buffers, each registered from position to limit; the list is read only during the call. If
     *     one buffer is a mapped file, all are treated as mapped ({@link AccessFlag#MAPPED}).
     * @param address address of the first byte; any value with address + total length below 2^64
     * @param access permitted uses
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT as for one buffer, or if the total length exceeds
     *     {@link DeviceAttributes#maxMemoryRegionSize}; LIMIT_REACHED
     */
    MemoryRegion register(List<ByteBuffer> memory, long address, AccessFlag... access);

    /**
     * As {@link #register(List, long, AccessFlag...)}, with the flags as a set.
     *
     * @param memory direct buffers
     * @param address address of the first byte
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion register(List<ByteBuffer> memory, long address, Set<AccessFlag> access) {
        return register(memory, address, flags(access));
    }

    /**
     * Registers a memory segment at an address that the device chooses. Otherwise as
     * {@link #registerSegment(Object, long, AccessFlag...)}.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    MemoryRegion registerSegment(Object segment, AccessFlag... access);

    /**
     * As {@link #registerSegment(Object, AccessFlag...)}, with the flags as a set.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion registerSegment(Object segment, Set<AccessFlag> access) {
        return registerSegment(segment, flags(access));
    }

    /**
     * Registers a memory segment of Java 22 or later, of any size up to {@link DeviceAttributes#maxMemoryRegionSize}.
     * The parameter has type {@code Object} because this module targets Java 17.
     *
     * <p>The region keeps the segment reachable but does not keep its arena open. If the arena is closed while the
     * region is in use, the connections and datagram queue pairs that use the region end, with the
     * {@code IllegalStateException} as their cause; the JVM does not crash. While a copy to or from the segment is in
     * progress, closing the arena fails or waits, as the JDK defines. Data sent from a segment are copied once, as from
     * a mapped file. A segment of a mapped file gets {@link AccessFlag#MAPPED} automatically.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}, native or mapped, of a shared, automatic or global
     *     arena
     * @param address address of the first byte; any value with address + length below 2^64
     * @param access permitted uses
     * @return the region; the caller closes it
     * @throws RdmaException INVALID_ARGUMENT if {@code segment} is not a memory segment, is on the Java heap, is
     *     confined to a thread, or its arena is closed; and as {@link #register(ByteBuffer, long, AccessFlag...)}
     */
    MemoryRegion registerSegment(Object segment, long address, AccessFlag... access);

    /**
     * As {@link #registerSegment(Object, long, AccessFlag...)}, with the flags as a set.
     *
     * @param segment a {@code java.lang.foreign.MemorySegment}
     * @param address address of the first byte
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion registerSegment(Object segment, long address, Set<AccessFlag> access) {
        return registerSegment(segment, address, flags(access));
    }

    /**
     * Datagrams: registers memory with a key that the caller chooses. Write-Records to a group need this, because all
     * members of the group share address and key (datagram-iWARP §G.4). Otherwise as
     * {@link #register(ByteBuffer, long, AccessFlag...)}.
     *
     * @param memory a direct buffer
     * @param address address of the first byte
     * @param rkey not 0; choose it at random, because a host that guesses the key can write to the memory
     * @param access permitted uses, including {@link AccessFlag#GROUP}
     * @return the region; the caller closes it
     * @throws RdmaException also INVALID_ARGUMENT if the key is in use or GROUP is missing
     */
    MemoryRegion registerForGroup(ByteBuffer memory, long address, int rkey, AccessFlag... access);

    /**
     * As {@link #registerForGroup(ByteBuffer, long, int, AccessFlag...)}, with the flags as a set.
     *
     * @param memory a direct buffer
     * @param address address of the first byte
     * @param rkey not 0, chosen at random
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion registerForGroup(ByteBuffer memory, long address, int rkey, Set<AccessFlag> access) {
        return registerForGroup(memory, address, rkey, flags(access));
    }

    /**
     * Allocates page-aligned, zeroed memory and registers it.
     *
     * @param length length in bytes
     * @param access permitted uses
     * @return the region; the caller closes it. {@link MemoryRegion#buffer} returns its memory.
     * @throws RdmaException as {@link #register(ByteBuffer, long, AccessFlag...)}; LIMIT_REACHED if the JVM has no
     *     direct memory left (-XX:MaxDirectMemorySize)
     */
    MemoryRegion allocate(int length, AccessFlag... access);

    /**
     * As {@link #allocate(int, AccessFlag...)}, with the flags as a set.
     *
     * @param length length in bytes
     * @param access permitted uses
     * @return the region; the caller closes it
     */
    default MemoryRegion allocate(int length, Set<AccessFlag> access) {
        return allocate(length, flags(access));
    }

    private static AccessFlag[] flags(Set<AccessFlag> access) {
        return RdmaException.requireArgument(access, "access").toArray(AccessFlag[]::new);
    }

    /** {@return a new, unbound memory window; the caller closes it} */
    MemoryWindow allocateWindow();

    /**
     * {@return a new shared receive queue for queue pairs of this domain; the caller closes it}
     *
     * @param maxWorkRequests maximum number of outstanding receives
     * @param maxScatterGatherElements maximum number of elements of a receive
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if a value exceeds the limits of the device
     */
    SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements);

    /**
     * {@return a new queue pair in state RESET; the caller closes it}
     *
     * <p>Most programs use {@link CmId#createQueuePair} instead, because a queue pair is connected through an id.
     *
     * @param attributes attributes of the queue pair
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if a value exceeds the limits of the device
     */
    QueuePair createQueuePair(QueuePairAttributes attributes);

    /**
     * {@return a new queue pair for datagrams, in state RTS; the caller closes it}
     *
     * @param type UD or RD
     * @param attributes attributes, as for a queue pair with a connection
     * @param datagrams additional attributes for datagrams
     * @throws RdmaException NOT_SUPPORTED without a transport for datagrams on the class path; INVALID_ARGUMENT or
     *     LIMIT_REACHED if a value exceeds the limits of the device; ADDRESS_IN_USE if the port or the number is in use, or the port has a
     *     default queue pair already; ADDRESS_NOT_AVAILABLE if this host does not have the address; PERMISSION_DENIED
     *     if the user may not use the port
     */
    DatagramQueuePair createDatagramQueuePair(
            QueuePairType type, QueuePairAttributes attributes, DatagramAttributes datagrams);

    /**
     * Frees the domain.
     *
     * @throws RdmaException RESOURCE_BUSY if the domain still has regions, windows, queue pairs or shared receive
     *     queues
     */
    @Override
    void close();
}
