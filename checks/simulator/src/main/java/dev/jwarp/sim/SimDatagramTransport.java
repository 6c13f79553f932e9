package dev.jwarp.sim;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A host of {@link SimDatagrams} as an inline transport. Polling any host advances the whole network, as with
 * {@link SimTransport}. The thread of the network only, whatever {@link DatagramTransport} permits.
 */
public final class SimDatagramTransport extends SimHost implements DatagramTransport {
    private final SimDatagrams datagrams;
    private final DatagramEngineFactory engines;
    private final List<SimDatagramPort> ports = new ArrayList<>();
    private Supplier<List<TransportCounter>> counters = List::of;
    private boolean closed;

    SimDatagramTransport(SimDatagrams datagrams, InetAddress host, DatagramEngineFactory engines) {
        super(datagrams.network(), host);
        this.datagrams = datagrams;
        this.engines = engines;
    }

    /** Sets the source of the counters. */
    public SimDatagramTransport counting(Supplier<List<TransportCounter>> all) {
        counters = all;
        return this;
    }

    @Override
    public List<TransportCounter> counters() {
        return counters.get();
    }

    @Override
    public InetSocketAddress place(InetSocketAddress local) {
        return local;
    }

    @Override
    public DatagramPort open(InetSocketAddress local) {
        InetAddress wanted = local.getAddress();
        boolean ours = wanted != null && (wanted.equals(host) || wanted.isAnyLocalAddress());
        InetSocketAddress bound = address(local.getPort() == 0 ? network.ephemeralPort() : local.getPort());
        if (closed || !ours || datagrams.isTaken(bound)) {
            String why = closed ? "the transport is closed" : ours ? "the port is taken" : "not an address of " + host;
            LlpFailure kind = ours ? LlpFailure.ADDRESS_IN_USE : LlpFailure.ADDRESS_NOT_AVAILABLE;
            throw new LlpException(kind, "Cannot open " + local + ": " + why);
        }
        SimDatagramPort port = new SimDatagramPort(datagrams, this, bound);
        port.attach(engines.open(port, network.now()));
        ports.add(port);
        return port.port();
    }

    void gone(SimDatagramPort port) {
        ports.remove(port);
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(ports).forEach(SimDatagramPort::close);
        datagrams.forget(host);
    }

    @Override
    public void reloadKeys() {
        throw new IllegalArgumentException("a simulated transport has no file of keys");
    }
}
