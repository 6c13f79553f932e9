package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.rdmap.datagram.SeenMessages;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.progress.OneShotLatch;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The UDP ports of a context: one port per address, shared by all its users. Any thread. */
final class DatagramPorts {
    /** Time to wait for another thread that opens or closes a port: a system call and a task of the owner. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final DatagramTransport transport;
    private final RandomGenerator randomness;
    private final int seen;
    private final long patienceNanos;

    /** Ports by bound address; guarded by this. */
    private final Map<InetSocketAddress, SharedPort> ports = new HashMap<>();

    /** Addresses whose port is being opened or closed; a latch opens after the attempt. */
    private final Map<InetSocketAddress, OneShotLatch> changing = new ConcurrentHashMap<>();

    /** A UDP port with a count of the queue pairs and services that use it; the last user closes the port. */
    static final class SharedPort {
        private final DatagramPort port;
        private final SeenMessages seen;

        /** Guarded by the enclosing {@link DatagramPorts}. */
        private int users;

        SharedPort(DatagramPort port, SeenMessages seen) {
            this.port = port;
            this.seen = seen;
        }

        DatagramPort port() {
            return port;
        }

        /** {@return the ended messages of all queue pairs of the port, which have the same owner} */
        SeenMessages seen() {
            return seen;
        }

        InetSocketAddress address() {
            return port.localAddress();
        }

        /** {@return the number of datagrams that the system dropped; empty if unknown} */
        OptionalLong systemDrops() {
            long drops = port.systemDrops();
            return drops < 0 ? OptionalLong.empty() : OptionalLong.of(drops);
        }

        void use() {
            users++;
        }

        /** {@return whether the port has no user any more} */
        boolean leave() {
            users--;
            return users == 0;
        }
    }

    /** No ports; {@code seen} as in {@link SeenMessages}. */
    DatagramPorts(DatagramTransport transport, RandomGenerator randomness, int seen) {
        this(transport, randomness, seen, PATIENCE_NANOS);
    }

    /** The same with another time to wait; for tests. */
    DatagramPorts(DatagramTransport transport, RandomGenerator randomness, int seen, long patienceNanos) {
        this.transport = transport;
        this.randomness = randomness;
        this.seen = seen;
        this.patienceNanos = patienceNanos;
    }

    /**
     * {@return the port at {@code local}, opened if needed; a new port for number 0} Call {@link #leave} at the end of
     * the use. The IPv4 wildcard address stands for both IP versions.
     */
    SharedPort use(InetSocketAddress local) {
        return useAt(transport.place(local));
    }

    /** {@return as {@link #use}, but the IPv4 wildcard address stands for IPv4 only} */
    SharedPort useAt(InetSocketAddress local) {
        SharedPort known = usedAlready(local);
        if (known != null) {
            return known;
        }
        if (local.getPort() == 0) {
            return open(local);
        }
        OneShotLatch tried = new OneShotLatch();
        long left = patienceNanos;
        for (OneShotLatch other = changing.putIfAbsent(local, tried); ; other = changing.putIfAbsent(local, tried)) {
            if (other == null) {
                try {
                    return usedOrOpened(local);
                } finally {
                    changing.remove(local, tried);
                    tried.open();
                }
            }
            // With a timeout, because the other thread may wait for the owner, which may be the caller. Then the
            // address is in use.
            left = other.awaitUninterruptibly(left);
            if (left <= 0) {
                return usedOrOpened(local);
            }
        }
    }

    private SharedPort usedOrOpened(InetSocketAddress local) {
        SharedPort known = usedAlready(local); // another thread may have opened the port meanwhile
        if (known != null) {
            return known;
        }
        try {
            return open(local);
        } catch (RdmaException e) {
            known = e.code() == RdmaErrorCode.ADDRESS_IN_USE ? usedAlready(local) : null; // likewise
            if (known == null) {
                throw e;
            }
            return known;
        }
    }

    private synchronized @Nullable SharedPort usedAlready(InetSocketAddress local) {
        SharedPort known = ports.get(local);
        if (known != null) {
            known.use();
        }
        return known;
    }

    /**
     * Opens a port. The caller must not hold the monitor: the call waits for the owner of the transport, whose service
     * handlers may open ports themselves.
     */
    private SharedPort open(InetSocketAddress local) {
        SeenMessages remembered = new SeenMessages(randomness, seen, SeenMessages.NANOS);
        DatagramPort port;
        try {
            port = transport.open(local);
        } catch (LlpException e) {
            throw FailureNames.exception(e);
        }
        SharedPort used;
        SharedPort opened;
        try {
            opened = new SharedPort(port, remembered);
            used = usedInstead(opened);
        } catch (Throwable e) {
            port.close();
            throw e;
        }
        if (used != opened) {
            port.close();
        }
        return used;
    }

    /**
     * {@return the port to use} If the system bound the address twice, this is the earlier port: two ports would share
     * the datagrams.
     */
    private synchronized SharedPort usedInstead(SharedPort opened) {
        SharedPort known = ports.putIfAbsent(opened.address(), opened);
        SharedPort used = known == null ? opened : known;
        used.use();
        return used;
    }

    /**
     * Ends a {@link #use}. After the last one, a new use of the address waits until this port is closed, and opens a
     * new port.
     */
    void leave(SharedPort shared) {
        InetSocketAddress address = shared.address();
        OneShotLatch tried = new OneShotLatch();
        synchronized (this) {
            if (!shared.leave()) {
                return;
            }
            ports.remove(address, shared);
            changing.putIfAbsent(address, tried);
        }
        try {
            shared.port().close();
        } finally {
            changing.remove(address, tried);
            tried.open();
        }
    }
}
