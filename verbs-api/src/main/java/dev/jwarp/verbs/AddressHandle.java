package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/**
 * The destination of datagrams: {@code ibv_ah}, with the number and the Q_Key of the peer's queue pair, which
 * InfiniBand keeps in each work request. Created by {@link DatagramQueuePair#createAddressHandle(InetSocketAddress,
 * int, int)}. A handle takes some hundred bytes of memory locally, and none at the peer. Threads: any.
 */
public interface AddressHandle extends AutoCloseable {
    /** {@return the local queue pair of the handle} */
    DatagramQueuePair queuePair();

    /** {@return the address of the peer or the group, without a host name; each call creates a new object} */
    InetSocketAddress address();

    /** {@return the number of the peer's queue pair, 24 bits; 0 for the default queue pair of the peer's port} */
    int queuePairNumber();

    /** {@return the Q_Key of the peer's queue pair, or of the group} */
    int key();

    /**
     * {@return the path MTU: the size of IP packets in bytes} Each message uses the path MTU of the moment when its
     * transmission begins. With path MTU discovery this is the present value, and 0 before anything was sent.
     */
    int pathMtu();

    /** {@return the pace in bytes per second; 0 sends as fast as the socket accepts} */
    long pace();

    /**
     * {@return the weight, initially 1: the handle's share of the queue pair's bytes when not everything posted can be
     * sent}
     */
    int weight();

    /**
     * Sets the weight. It has no effect while everything posted can be sent.
     *
     * @param times 1 to 64; a handle of weight n sends n times the bytes of a handle of weight 1
     * @return this handle
     * @throws RdmaException INVALID_ARGUMENT if out of range
     */
    AddressHandle weight(int times);

    /** {@return whether the destination is a group} */
    boolean group();

    /**
     * Frees the handle. Further calls have no effect.
     *
     * @throws RdmaException RESOURCE_BUSY if requests that use the handle are outstanding
     */
    @Override
    void close();
}
