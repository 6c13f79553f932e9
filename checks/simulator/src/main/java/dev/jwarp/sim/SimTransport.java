package dev.jwarp.sim;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.UpperLayer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host of a {@link SimNetwork} as an inline transport. Polling any host advances the whole network, so two stacks
 * make progress while one thread polls or waits on either of them. A poll without work takes a microsecond of virtual
 * time; {@link #await} jumps to the next event.
 *
 * <p>The thread of the network only, whatever {@link Transport} permits.
 */
public final class SimTransport extends SimHost implements Transport {
    private final StreamEngineFactory engines;
    private final Map<Integer, Listening> listeners = new HashMap<>();
    private final List<SimEnd> ends = new ArrayList<>();
    private boolean closed;

    SimTransport(SimNetwork network, InetAddress host, StreamEngineFactory engines) {
        super(network, host);
        this.engines = engines;
    }

    /** {@return the network of the host} */
    public SimNetwork network() {
        return network;
    }

    /** {@inheritDoc} The simulation accepts every connection at once, so {@code backlog} has no effect. */
    @Override
    public Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler) {
        int port = local.getPort() == 0 ? network.ephemeralPort() : local.getPort();
        boolean ours = local.getAddress() != null
                && (local.getAddress().equals(host) || local.getAddress().isAnyLocalAddress());
        if (closed || !ours || listeners.containsKey(port)) {
            throw new LlpException(
                    ours ? LlpFailure.ADDRESS_IN_USE : LlpFailure.ADDRESS_NOT_AVAILABLE,
                    "Cannot listen at " + local + ": " + (ours ? "the port is taken" : "not an address of " + host));
        }
        Listening listening = new Listening(port, handler);
        listeners.put(port, listening);
        return listening;
    }

    @Nullable
    Listening listening(int port) {
        return listeners.get(port);
    }

    @Override
    public LlpConnection connect(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler) {
        if (closed) {
            throw new LlpException(LlpFailure.LOCAL, "Cannot connect to " + remote + ": the transport is closed");
        }
        int port = local == null || local.getPort() == 0 ? network.ephemeralPort() : local.getPort();
        SimEnd end = network.newEnd("connection " + network.connections(), address(port), remote);
        StreamEngine engine = engines.initiator(end, offer, timeoutNanos, upper, handler, network.now());
        end.attach(engine);
        remember(end);
        network.connect(end);
        end.wakeup();
        return engine.connection();
    }

    /** The handshake is complete: creates the responder's engine, unless one of the sides has ended. */
    void take(SimEnd end, Listening listening, SimStream stream, boolean abandoned) {
        if (abandoned) {
            end.dismiss();
        } else if (listeners.get(listening.port) != listening) {
            end.dismiss();
            stream.reset();
        } else {
            end.attach(engines.responder(end, listening.handler, network.now()));
            remember(end);
            end.connected(stream);
            stream.open();
        }
    }

    private void remember(SimEnd end) {
        ends.removeIf(SimEnd::over);
        ends.add(end);
    }

    @Override
    public void close() {
        closed = true;
        listeners.clear();
        network.forget(host);
        for (SimEnd end : List.copyOf(ends)) {
            end.close();
        }
    }

    /** A listener. */
    final class Listening implements Listener {
        private final int port;
        private final ConnectionHandler handler;

        Listening(int port, ConnectionHandler handler) {
            this.port = port;
            this.handler = handler;
        }

        @Override
        public InetSocketAddress localAddress() {
            return address(port);
        }

        @Override
        public void close() {
            listeners.remove(port, this);
        }
    }
}
