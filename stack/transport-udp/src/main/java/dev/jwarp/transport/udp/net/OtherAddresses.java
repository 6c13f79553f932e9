package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.nio.BroadcastAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of this host that were unknown when a wildcard port was opened: those that the system does not list, such
 * as 127.0.0.2, and those that were added later. The first datagram to such an address opens a socket for it, up to a
 * limit; beyond the limit the system chooses the source address of answers. The owner of the port only, except for
 * {@link #take}.
 */
public final class OtherAddresses {
    private static final InetSocketAddress ALL_HOSTS = new InetSocketAddress("255.255.255.255", 0);

    private static final int MOST = 64;
    /** The most datagrams that wait; further ones are lost, as in a full socket buffer. */
    private static final int WAITING = 256;

    /** A datagram with its destination address. */
    record Came(byte[] bytes, DatagramAddress source, InetAddress asked) {}

    private final Queue<Came> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Map<InetAddress, @Nullable PortSocket> sockets = new HashMap<>();
    private final Runnable wakeup;
    private final Function<InetAddress, @Nullable PortSocket> opener;

    /**
     * For one port.
     *
     * @param wakeup makes the owner look at the port; any thread
     * @param opener opens a socket of the port at one address; returns null if that is not available
     */
    public OtherAddresses(Runnable wakeup, Function<InetAddress, @Nullable PortSocket> opener) {
        this.wakeup = wakeup;
        this.opener = opener;
    }

    /**
     * A datagram was received; called on a thread of the {@link AskedSocket}.
     *
     * @param bytes owned by this object from now on
     * @param asked the destination address; may be a broadcast or multicast address
     */
    public void take(byte[] bytes, InetSocketAddress from, InetAddress asked) {
        // The port's own socket receives multicast and broadcast datagrams, too.
        boolean several =
                asked.isMulticastAddress() || asked.equals(ALL_HOSTS.getAddress()) || BroadcastAddresses.contain(asked);
        if (!several && count.get() < WAITING) { // only the socket's thread adds
            count.incrementAndGet();
            waiting.add(new Came(bytes, DatagramAddress.of(from), asked));
            wakeup.run();
        }
    }

    /** {@return the next datagram; null if there is none} */
    @Nullable
    Came poll() {
        Came next = waiting.poll();
        if (next != null) {
            count.decrementAndGet();
        }
        return next;
    }

    /** {@return the socket for answers to the datagram; null for the port's own} */
    @Nullable
    PortSocket socket(Came came) {
        InetAddress asked = came.asked();
        if (!sockets.containsKey(asked) && sockets.size() < MOST && !asked.isAnyLocalAddress()) {
            sockets.put(asked, opener.apply(asked));
        }
        return sockets.get(asked);
    }
}
