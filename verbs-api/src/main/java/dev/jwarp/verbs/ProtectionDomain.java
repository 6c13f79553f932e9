package dev.jwarp.verbs;

import java.nio.ByteBuffer;
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
     *     otherwise connections that use it end, with the exception as their cause.
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
