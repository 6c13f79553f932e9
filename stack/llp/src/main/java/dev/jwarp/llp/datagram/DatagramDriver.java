package dev.jwarp.llp.datagram;

import dev.jwarp.llp.Deferring;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * The interface of a driver with sockets for the {@link DatagramEngine} whose datagrams it transports.
 *
 * <p>A driver checks {@link DatagramEngine#prepareOutput} and {@link DatagramEngine#nextTimeout} after each of its
 * calls of the engine and after each task of {@link #execute}. For changes at any other time the engine calls
 * {@link #wakeup}.
 */
public interface DatagramDriver extends Deferring {
    /** {@return the bound address, with the actual port number} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the size of the kernel's receive buffer in bytes} Any thread. */
    int receiveBuffer();

    /** {@return the number of datagrams that the kernel dropped at this socket; -1 if unknown} Any thread; slow. */
    long systemDrops();

    /** {@return whether a batch of several datagrams costs one system call, so that long batches pay} Owner thread only. */
    boolean segments();

    /** {@return the time on the clock of all {@code nowNanos}} Owner thread only. */
    long nowNanos();

    /** Requests that the driver checks the engine soon. Any thread; cheap; superfluous calls are harmless. */
    void wakeup();

    /** {@return whether {@link #execute} runs a task at once, on the thread that moves the port} Any thread. */
    default boolean isHere() {
        return true;
    }

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);

    /**
     * {@return whether the address is a broadcast address of a network of this host, and broadcast is permitted} Any
     * thread; queries the system.
     */
    default boolean broadcast(InetAddress address) {
        return false;
    }

    /**
     * {@return the MTU in bytes of the interface through which the address is reached; 0 if unknown} Owner thread only;
     * slow.
     */
    default int interfaceMtu(DatagramAddress to) {
        return 0;
    }

    /**
     * {@return the system's estimate of the path MTU to the address in bytes; 0 if unknown} Only a hint, because forged
     * ICMP messages influence it. Owner thread only; slow.
     */
    default int routeMtu(DatagramAddress to) {
        return 0;
    }

    /** {@return whether datagrams are sent unfragmented (DF) unless {@link DatagramBatch#mayBeCut}} */
    default boolean keepsWhole() {
        return false;
    }

    /**
     * Opens a socket for a group. Any thread.
     *
     * @param group address and port of the group; the driver keeps the object, and it must not change
     * @param on the interface; null for the system's choice
     * @throws dev.jwarp.llp.LlpException if the group cannot be joined
     */
    void join(DatagramAddress group, @Nullable NetworkInterface on);

    /**
     * Sets how datagrams to groups are sent; the defaults are settings of the transport. Any thread.
     *
     * @param through the interface; null keeps the present one. After an interface is set, {@link #join} does not
     *     change it
     * @param hops hop limit, 0 to 255; 0 for this host only
     * @param loop whether members on this host receive the datagrams too
     * @throws dev.jwarp.llp.LlpException if the system refuses, usually because the interface does not exist
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /** Closes the socket of a group. Any thread. */
    void leave(DatagramAddress group);

    /**
     * Calls {@link DatagramEngine#onClosed} on the owner, then closes all sockets. Returns when this is done. Any
     * thread.
     */
    void close();
}
