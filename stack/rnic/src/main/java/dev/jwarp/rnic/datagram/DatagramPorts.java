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

/** The UDP ports of a context: one for each address, however many share it. Any thread. */
final class DatagramPorts {
    /** For the port that another thread opens or closes: that takes a call of the system, and a task of the owner. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final DatagramTransport transport;
    private final RandomGenerator randomness;
    private final int seen;
    private final long patienceNanos;

    /** By bound address; guarded by this. */
    private final Map<InetSocketAddress, SharedPort> ports = new HashMap<>();

    /** Addresses whose port is being opened or closed; each gate opens when that has been tried. */
    private final Map<InetSocketAddress, OneShotLatch> changing = new ConcurrentHashMap<>();

    /** A UDP port with the queue pairs and services that use it; the last one that leaves closes it. */
    static final class SharedPort {
        private final DatagramPort port;
        private final SeenMessages seen;

        /** Guarded by the ports. */
        private int users;

        SharedPort(DatagramPort port, SeenMessages seen) {
            this.port = port;
            this.seen = seen;
        }

        DatagramPort port() {
            return port;
        }

        /** {@return what its queue pairs remember together: they have one owner} */
        SeenMessages seen() {
            return seen;
        }

        InetSocketAddress address() {
            return port.localAddress();
        }

        /** {@return what the system dropped; empty if it does not tell} */
        OptionalLong systemDrops() {
            long drops = port.systemDrops();
            return drops < 0 ? OptionalLong.empty() : OptionalLong.of(drops);
        }

        void use() {
            users++;
        }

        /** {@return whether no queue pair uses it any more} */
        boolean leave() {
            users--;
            return users == 0;
        }
    }

    /** None yet; {@code seen} as in {@link SeenMessages}. */
    DatagramPorts(DatagramTransport transport, RandomGenerator randomness, int seen) {
        this(transport, randomness, seen, PATIENCE_NANOS);
    }

    /** The same with another patience, for tests. */
    DatagramPorts(DatagramTransport transport, RandomGenerator randomness, int seen, long patienceNanos) {
        this.transport = transport;
        this.randomness = randomness;
        this.seen = seen;
        this.patienceNanos = patienceNanos;
    }

    /**
     * {@return the port there, opened if need be; a new one for port 0} To be left again. The wildcard address of IPv4
     * is that of both versions of IP.
     */
    SharedPort use(InetSocketAddress local) {
        return useAt(transport.place(local));
    }

    /** {@return the port of exactly that address, as above} */
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
            // Not without end: the caller may be the owner, for which the other one waits. Then the address is in use.
            left = other.awaitUninterruptibly(left);
            if (left <= 0) {
                return usedOrOpened(local);
            }
        }
    }

    private SharedPort usedOrOpened(InetSocketAddress local) {
        SharedPort known = usedAlready(local); // since another thread opened it meanwhile
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

    /** Not under the monitor: it waits for the owner of the transport, whose service handlers may want a port themselves. */
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

    /** {@return the port of that address} Another one where the system gave the address twice: two would share its datagrams. */
    private synchronized SharedPort usedInstead(SharedPort opened) {
        SharedPort known = ports.putIfAbsent(opened.address(), opened);
        SharedPort used = known == null ? opened : known;
        used.use();
        return used;
    }

    /** Takes a {@link #use} back. A use of the address from now on gets a new port, and waits until this one is closed. */
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
