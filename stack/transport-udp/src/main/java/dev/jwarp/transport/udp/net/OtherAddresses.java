package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.nio.BroadcastAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Addresses of this host that were unknown when a wildcard port was opened: those that the system does not list, such
 * as 127.0.0.2, and those that were added later. The first datagram to such an address opens a socket for it, up to a
 * limit; beyond the limit the system chooses the source address of answers. The owner of the port only, except for
 * {@link #take}.
 */
public final class OtherAddresses implements AskedSocket.Taker {
    private static final Logger LOG = LoggerFactory.getLogger(OtherAddresses.class);

    private static final InetSocketAddress ALL_HOSTS = new InetSocketAddress("255.255.255.255", 0);

    private static final int MOST = 64;
    /** The most datagrams that wait; further ones are lost, as in a full socket buffer. */
    private static final int WAITING = 256;

    /** Opens a socket of a wildcard port at one address. */
    public interface Beside {
        /** {@return the socket, which belongs to the port from now on; null if it is not available} */
        @Nullable
        PortSocket open(InetSocketAddress address, AskedSocket shared) throws IOException;
    }

    /** A datagram with its destination address. */
    record Came(byte[] bytes, DatagramAddress source, InetAddress asked) {}

    private final Queue<Came> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Map<InetAddress, @Nullable PortSocket> sockets = new HashMap<>();
    private final int port;
    private final Runnable wakeup;
    private final Beside opener;
    private @Nullable AskedSocket socket;

    /**
     * For one port.
     *
     * @param wakeup makes the owner look at the port; any thread
     */
    public OtherAddresses(int port, Runnable wakeup, Beside opener) {
        this.port = port;
        this.wakeup = wakeup;
        this.opener = opener;
    }

    /** Starts with the socket that reports destination addresses; once. */
    public void begin(AskedSocket telling) {
        socket = telling;
    }

    @Override
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
        if (!sockets.containsKey(asked) && sockets.size() < MOST && socket != null && !asked.isAnyLocalAddress()) {
            sockets.put(asked, open(asked, socket));
        }
        return sockets.get(asked);
    }

    private @Nullable PortSocket open(InetAddress asked, AskedSocket shared) {
        try {
            return opener.open(new InetSocketAddress(asked, port), shared);
        } catch (IOException e) {
            LOG.debug("No socket for {}: answers for it have a source address of the system's choice", asked, e);
            return null;
        }
    }

    /** Closes the reporting socket and discards waiting datagrams. */
    void close() {
        if (socket != null) {
            socket.close();
        }
        waiting.clear();
    }
}
