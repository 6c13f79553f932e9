package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.seal.SealKeys;
import dev.jwarp.transport.udp.wire.Crc;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Reliable channels in envelopes, with an attacker that replays and reflects all datagrams")
class RdSealedTest {
    private static final SealKeys KEYS =
            SealKeys.parse("keys", "7 send hex:000102030405060708090a0b0c0d0e0f 192.0.2.0/24");

    @Test
    @Tag("DG-K.7-5")
    @Tag("DG-K.7-7")
    @DisplayName(
            "with loss, duplicates and reordering everything is delivered once; no replayed, reflected or forged datagram is accepted")
    void attacked() {
        SimDatagrams datagrams = new SimDatagrams(new SimNetwork(1));
        datagrams.faults(new DatagramFaults(0.05, 0.05, 0.02, 100_000, 2_000_000));
        Map<String, String> settings = Map.of("jwarp.udp.keys", "given");
        RdEngineHost a = new RdEngineHost(datagrams, "192.0.2.1", 17, 1, settings, KEYS);
        RdEngineHost b = new RdEngineHost(datagrams, "192.0.2.2", 18, 2, settings, KEYS);
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
        a.post(b.handle(), 10, 20);
        b.post(a.handle(), 10, 20);
        a.settle(60_000);
        b.settle(60_000);
        a.upper.assertDelivered(b.upper, "a to b");
        b.upper.assertDelivered(a.upper, "b to a");
        assertThat(bare[0]).as("datagrams without an envelope").isZero();
        for (RdEngineHost end : List.of(a, b)) {
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
        new Crc().seal(forged, 0, forged.capacity() - 4);
        datagrams.send(from, to, forged.flip());
    }
}
