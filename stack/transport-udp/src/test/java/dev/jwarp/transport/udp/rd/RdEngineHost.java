package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.sim.SimDatagramTransport;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** A reliable queue pair on a complete engine, at a port of its own host. */
final class RdEngineHost {
    static final int KEY = 0x1234;
    private static final int PATH = 1472;

    final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
    final SimDatagramTransport transport;
    final DatagramPort port;
    final RdUpper upper;
    final int number;

    /** Creates a host with segments of {@code segment} bytes of payload. */
    RdEngineHost(
            SimDatagrams datagrams, String address, int number, long seed, int segment, Map<String, String> settings)
            throws UnknownHostException {
        this.number = number;
        UdpEngineFactory engines =
                new UdpEngineFactory(UdpSettings.of(settings), counters, RdQueuePair::open, new Random(seed), null);
        transport = datagrams.host(InetAddress.getByName(address), engines);
        port = transport.open(transport.address(4000));
        upper = new RdUpper(number, datagrams.network().clock()::nowNanos);
        upper.segment = segment;
        attach(upper);
    }

    void attach(RdUpper above) {
        port.attach(DatagramService.RD, number, KEY, false, above);
    }

    /** {@return an address handle for this queue pair, over a path that takes 1,472 bytes} */
    DatagramPeer handle() {
        return handle(new DatagramPeer(), PATH);
    }

    /** {@return {@code handle}, set to this queue pair and a path that takes {@code path} bytes} */
    DatagramPeer handle(DatagramPeer handle, int path) {
        return handle.set(DatagramAddress.of(port.localAddress()), number, KEY, path);
    }

    void post(DatagramPeer to, int segments, int count) {
        port.trust(to.address());
        upper.post(to, segments, count);
        Objects.requireNonNull(upper.lower).doorbell();
    }

    int counted(UdpCounter counter) {
        return (int) counters.get(counter);
    }

    /** {@return whether {@code done} became true within {@code millis} of the network's time} */
    static boolean until(SimNetwork network, BooleanSupplier done, long millis) {
        for (long left = millis; left > 0 && !done.getAsBoolean(); left--) {
            network.runFor(RdSim.millis(1));
        }
        return done.getAsBoolean();
    }
}
