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

    /** {@return the path MTU, bytes of IP packets; messages are cut to it} */
    int pathMtu();

    /** {@return bytes per second that may go this way; 0: as fast as the socket takes them} */
    long pace();

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
