package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.sim.SimDatagramTransport;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.seal.SealKeys;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reliable queue pair on a complete engine, at a port of its own host; its segments have 300 bytes of payload. */
final class RdEngineHost {
    static final int KEY = 0x1234;

    final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
    final DatagramPort port;
    final RdUpper upper;
    private final SimNetwork network;
    private final int number;

    RdEngineHost(SimDatagrams datagrams, String address, int number, long seed, Map<String, String> settings) {
        this(datagrams, address, number, seed, settings, null);
    }

    /** Creates a host that sends and accepts envelopes only, if it has keys. */
    RdEngineHost(
            SimDatagrams datagrams,
            String address,
            int number,
            long seed,
            Map<String, String> settings,
            @Nullable SealKeys keys) {
        this.number = number;
        network = datagrams.network();
        Random random = new Random(seed);
        Supplier<PortSeal> seals = () -> new PortSeal(
                now -> Objects.requireNonNull(keys),
                64,
                random,
                () -> network.clock().nowNanos() / 1_000_000_000L,
                counters::count);
        UdpEngineFactory engines = new UdpEngineFactory(
                UdpSettings.of(settings), counters, RdQueuePair::open, random, keys == null ? null : seals);
        SimDatagramTransport transport = datagrams.host(new InetSocketAddress(address, 0).getAddress(), engines);
        port = transport.open(transport.address(4000));
        upper = new RdUpper(number, network.clock()::nowNanos);
        upper.segment = 300;
        port.attach(DatagramService.RD, number, KEY, false, upper);
        await(() -> upper.lower != null, 10);
    }

    DatagramLowerLayer lower() {
        return Objects.requireNonNull(upper.lower);
    }

    /** {@return an address handle for this queue pair, over a path that takes 1,472 bytes} */
    DatagramPeer handle() {
        return new DatagramPeer().set(DatagramAddress.of(port.localAddress()), number, KEY, 1472);
    }

    void post(DatagramPeer to, int segments, int count) {
        port.trust(to.address());
        upper.post(to, segments, count);
        lower().doorbell();
    }

    /** Runs the network until {@code done}, which takes at most {@code millis}. */
    void await(BooleanSupplier done, long millis) {
        for (long left = millis; left > 0 && !done.getAsBoolean(); left--) {
            network.runFor(RdSim.millis(1));
        }
        assertThat(done.getAsBoolean()).as("queue pair %d", number).isTrue();
    }

    /** Runs the network until all messages of this host have ended, which takes at most {@code millis}. */
    void settle(long millis) {
        await(upper::allDone, millis);
    }
}
