package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * Where a datagram goes: {@code ibv_ah}, with the number and the Q_Key of the queue pair there, which InfiniBand keeps
 * in each work request. Made by {@link DatagramQueuePair#createAddressHandle(InetSocketAddress, int, int)}. It takes
 * some hundred bytes of memory on this side, and none at the peer. Threads: any.
 */
public interface AddressHandle extends AutoCloseable {
    /** {@return the queue pair that sends by it} */
    DatagramQueuePair queuePair();

    /** {@return where the peer is, or the address of a group; made anew at each call, without the name of a host} */
    InetSocketAddress address();

    /** {@return the number of the queue pair there, 24 bits; 0 for the default queue pair of that port} */
    int queuePairNumber();

    /** {@return the Q_Key of the queue pair, or of the group} */
    int key();

    /**
     * {@return the path MTU, bytes of IP packets; each message is cut to what it is when the message begins. If it is found out, the
     * present one; 0 before anything was sent}
     */
    int pathMtu();

    /** {@return bytes per second that may go this way; 0: as fast as the socket takes them} */
    long pace();

    /** {@return its share, in bytes, of what its queue pair sends where that is not enough for all; 1 at first} */
    int weight();

    /**
     * Sets its share of what its queue pair sends. Without effect while all that is posted leaves.
     *
     * @param times so many times the bytes of a handle with weight 1: 1 to 64
     * @return this handle
     * @throws RdmaException INVALID_ARGUMENT if out of range
     */
    AddressHandle weight(int times);

    /** {@return whether it names a group} */
    boolean group();

    /**
     * Frees the handle. More calls do nothing.
     *
     * @throws RdmaException RESOURCE_BUSY if requests that use it are outstanding
     */
    @Override
    void close();
}
