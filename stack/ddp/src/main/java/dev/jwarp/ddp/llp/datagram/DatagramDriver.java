package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.Deferring;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/**
 * The sockets under a {@link DatagramEngine}, as the engine sees them: what it may ask of the driver that moves its
 * datagrams.
 *
 * <p>A driver looks at {@link DatagramEngine#prepareOutput} and {@link DatagramEngine#nextTimeout} after every call of its
 * own into the engine and after every task run by {@link #execute}. For whatever changes at any other moment the engine
 * calls {@link #wakeup}.
 */
public interface DatagramDriver extends Deferring {
    /** {@return the bound address, with the real port} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the octets the kernel granted for receiving} Any thread. */
    int receiveBuffer();

    /** {@return the datagrams that the system dropped at its own socket unread; -1 if it does not tell} Any thread; slow. */
    long systemDrops();

    /** {@return whether a batch of several datagrams costs one system call, so that long batches pay} Owner thread only. */
    boolean segments();

    /** {@return the time on the clock of all {@code nowNanos}} Owner thread only. */
    long nowNanos();

    /** Asks the driver to look at the engine soon. Any thread; cheap; may come too often. */
    void wakeup();

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);

    /**
     * {@return whether that is the broadcast address of a network that this host is on, and may be sent to} Any thread; asks the
     * system.
     */
    default boolean broadcast(InetAddress address) {
        return false;
    }

    /**
     * {@return the largest IP packet in bytes that the interface takes through which that address is reached; 0 if it is not
     * known} Owner thread only; slow.
     */
    default int interfaceMtu(DatagramAddress to) {
        return 0;
    }

    /**
     * {@return the largest IP packet in bytes that the system believes the path there takes; 0 if it does not tell} Only a
     * hint: what a forged ICMP message said is in it. Owner thread only; slow.
     */
    default int routeMtu(DatagramAddress to) {
        return 0;
    }

    /** {@return whether what is sent is never cut into fragments on its way, but where {@link DatagramBatch#mayBeCut}} */
    default boolean keepsWhole() {
        return false;
    }

    /**
     * Opens a socket for a group. Any thread.
     *
     * @param group its address and port; the driver keeps the object, and it must not change
     * @param on the interface; null for the system's choice
     * @throws dev.jwarp.ddp.llp.LlpException if it cannot be joined
     */
    void join(DatagramAddress group, @Nullable NetworkInterface on);

    /**
     * Sets how datagrams to groups leave; at first as the settings of the transport say. Any thread.
     *
     * @param through the interface; null leaves it as it is. From then on no {@link #join} changes it
     * @param hops 0 to 255; 0: they stay on this host
     * @param loop whether members on this host get them, too
     * @throws dev.jwarp.ddp.llp.LlpException if the system does not take it, mostly for want of that interface
     */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop);

    /** Closes the socket of a group. Any thread. */
    void leave(DatagramAddress group);

    /** Calls {@link DatagramEngine#onClosed} on the owner, then closes all sockets; back when that is done. Any thread. */
    void close();
}
