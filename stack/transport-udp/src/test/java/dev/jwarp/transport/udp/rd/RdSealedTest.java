package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.seal.SealKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Reliable channels in envelopes, with an attacker that replays and reflects all datagrams")
class RdSealedTest {
    private static final int KEY = 0x1234;
    private static final SealKeys KEYS =
            SealKeys.parse("keys", "7 send hex:000102030405060708090a0b0c0d0e0f 192.0.2.0/24");

    private static final class End {
        final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        final DatagramPort port;
        final RdUpper upper;
        final int number;

        End(SimDatagrams datagrams, String address, int number, long seed) throws UnknownHostException {
            this.number = number;
            SimNetwork network = datagrams.network();
            Random random = new Random(seed);
            UdpEngineFactory engines = new UdpEngineFactory(
                    UdpSettings.of(Map.of("jwarp.udp.keys", "given")),
                    counters,
                    RdQueuePair::open,
                    random,
                    () -> new PortSeal(
                            now -> KEYS,
                            64,
                            random,
                            () -> network.clock().nowNanos() / 1_000_000_000L,
                            counters::count));
            var transport = datagrams.host(InetAddress.getByName(address), engines);
            port = transport.open(transport.address(4000));
            upper = new RdUpper(number, network.clock()::nowNanos);
            upper.segment = 300;
            port.attach(DatagramService.RD, number, KEY, false, upper);
        }

        void post(End to) {
            DatagramAddress address = DatagramAddress.of(to.port.localAddress());
            port.trust(address);
            upper.post(new DatagramPeer().set(address, to.number, KEY, 1472), 10, 20);
            Objects.requireNonNull(upper.lower).doorbell();
        }

        boolean inOrder(End from) {
            List<Long> expected = new ArrayList<>();
            for (RdUpper.Message message : from.upper.messages) {
                assertThat(message.status).isEqualTo(SUCCESS);
                for (int i = 0; i < message.segments; i++) {
                    expected.add(RdUpper.mark(message.number, i));
                }
            }
            return upper.received
                    .getOrDefault(from.upper.incarnation, List.of())
                    .equals(expected);
        }
    }

    @Test
    @Tag("DG-K.7-5")
    @Tag("DG-K.7-7")
    @DisplayName(
            "with loss, duplicates and reordering everything is delivered once; no replayed, reflected or forged datagram is accepted")
    void attacked() throws UnknownHostException {
        SimNetwork network = new SimNetwork(1);
        SimDatagrams datagrams = new SimDatagrams(network);
        datagrams.faults(new DatagramFaults(0.05, 0.05, 0.02, 100_000, 2_000_000));
        End a = new End(datagrams, "192.0.2.1", 17, 1);
        End b = new End(datagrams, "192.0.2.2", 18, 2);
        boolean[] attacking = new boolean[1];
        int[] seen = new int[1];
        int[] bare = new int[1];
        datagrams.tap((from, to, octets, now) -> {
            if (octets.get(octets.position()) != 0x19) {
                bare[0]++;
            }
            if (!attacking[0] && seen[0]++ % 3 == 0) {
                attacking[0] = true;
                attack(datagrams, from, to, octets);
                attacking[0] = false;
            }
        });
        network.runFor(RdSim.millis(1));
        a.post(b);
        b.post(a);
        for (int i = 0; i < 60_000 && !(a.upper.allDone() && b.upper.allDone()); i++) {
            network.runFor(RdSim.millis(1));
        }
        assertThat(b.inOrder(a)).isTrue();
        assertThat(a.inOrder(b)).isTrue();
        assertThat(bare[0]).as("datagrams without an envelope").isZero();
        for (End end : List.of(a, b)) {
            assertThat(end.counters.get(UdpCounter.RX_SEAL_REPLAY)).isGreaterThan(50);
            assertThat(end.counters.get(UdpCounter.RX_SEAL_BAD)).isGreaterThan(10);
            assertThat(end.counters.get(UdpCounter.RD_DUP))
                    .as("repeated by the peer only")
                    .isLessThan(150);
        }
    }

    private static void attack(
            SimDatagrams datagrams, InetSocketAddress from, InetSocketAddress to, ByteBuffer octets) {
        ByteBuffer copy =
                ByteBuffer.allocate(octets.remaining()).put(octets.duplicate()).flip();
        datagrams.send(from, to, copy.duplicate());
        datagrams.send(to, from, copy.duplicate());
        ByteBuffer forged = ByteBuffer.allocate(copy.capacity()).put(copy.duplicate());
        forged.put(60, (byte) (forged.get(60) + 1));
        new dev.jwarp.transport.udp.wire.Crc().seal(forged, 0, forged.capacity() - 4);
        datagrams.send(from, to, forged.flip());
    }
}
