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
 * Addresses of this host that a wildcard port was not told of when it was opened: those that the system does not list, as 127.0.0.2, and
 * those that came later. Each gets a socket when it is asked for the first time, so many at most; further ones are answered from an address of
 * the system's choice. The owner of the port only, but for {@link #take}.
 */
public final class OtherAddresses implements AskedSocket.Taker {
    private static final Logger LOG = LoggerFactory.getLogger(OtherAddresses.class);

    private static final InetSocketAddress ALL_HOSTS = new InetSocketAddress("255.255.255.255", 0);

    private static final int MOST = 64;
    /** As where a socket's buffer is full, what does not fit is lost. */
    private static final int WAITING = 256;

    /** Opens a socket of a wildcard port at one address. */
    public interface Beside {
        /** {@return the socket, one of the port's from now on; null if it cannot be had} */
        @Nullable
        PortSocket open(InetSocketAddress address, AskedSocket shared) throws IOException;
    }

    /** A datagram, and where it was sent to. */
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
     * @param wakeup has its owner look at the port; any thread
     */
    public OtherAddresses(int port, Runnable wakeup, Beside opener) {
        this.port = port;
        this.wakeup = wakeup;
        this.opener = opener;
    }

    /** Begins with the socket that tells; once. */
    public void begin(AskedSocket telling) {
        socket = telling;
    }

    @Override
    public void take(byte[] bytes, InetSocketAddress from, InetAddress asked) {
        // What is sent to several hosts comes to the port's own socket, too.
        boolean several =
                asked.isMulticastAddress() || asked.equals(ALL_HOSTS.getAddress()) || BroadcastAddresses.contain(asked);
        if (!several && count.get() < WAITING) { // one thread of the socket's asks
            count.incrementAndGet();
            waiting.add(new Came(bytes, DatagramAddress.of(from), asked));
            wakeup.run();
        }
    }

    /** {@return what came next; null for nothing} */
    @Nullable
    Came poll() {
        Came next = waiting.poll();
        if (next != null) {
            count.decrementAndGet();
        }
        return next;
    }

    /** {@return the socket that answers; null for the port's own} */
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
            LOG.debug("No socket of its own for {}: it is answered from an address of the system's choice", asked, e);
            return null;
        }
    }

    /** Nothing comes any more. */
    void close() {
        if (socket != null) {
            socket.close();
        }
        waiting.clear();
    }
}
