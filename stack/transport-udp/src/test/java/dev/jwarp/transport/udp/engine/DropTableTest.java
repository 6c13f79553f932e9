package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static dev.jwarp.transport.udp.engine.EngineRig.data;
import static dev.jwarp.transport.udp.engine.EngineRig.shim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SourceDrops;
import dev.jwarp.transport.udp.Allocated;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.source.DropTable;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.Samples;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The table of drops by source (datagram-iWARP §13)")
class DropTableTest {
    private final EngineRig rig = new EngineRig();

    private static List<SourceDrops> drops(EngineRig of) {
        List<SourceDrops> all = new ArrayList<>();
        of.engine.port().sourceDrops(all::addAll);
        return all;
    }

    private static SourceDrops of(DatagramAddress source, long count, String cause) {
        return new SourceDrops(source.toSocketAddress(), count, cause);
    }

    @Test
    @DisplayName("has the drops of checks 1 to 9 and of the layer above: source, number, and last cause")
    void causes() {
        assertThat(drops(rig)).isEmpty();
        rig.receiveFrom(LOOPBACK);
        assertThat(drops(rig)).as("no drop so far").isEmpty();

        rig.receive(new byte[20], STRANGER);
        assertThat(drops(rig)).containsExactly(of(STRANGER, 1, "rx_short"));
        rig.receive(data(shim(NUMBER, ~KEY)), STRANGER);
        rig.receive(data(shim(NUMBER + 1, KEY)), LOOPBACK);
        assertThat(drops(rig)).containsExactly(of(LOOPBACK, 1, "rx_qpn"), of(STRANGER, 2, "rx_key"));
        rig.receive(data(shim(NUMBER, KEY).flags(true, false, false, false)), STRANGER);
        assertThat(drops(rig)).startsWith(of(STRANGER, 3, "rx_reply_unmatched"));
        rig.upper.fate = SegmentFate.DROPPED;
        rig.receiveFrom(STRANGER);
        assertThat(drops(rig)).startsWith(of(STRANGER, 4, "upper_DROPPED"));

        rig.engine.port().join(NUMBER, new InetSocketAddress("239.1.2.3", 9100), null, 77);
        rig.receive(EngineRig.toGroup(77), LOOPBACK, rig.joined.get(0), false);
        assertThat(drops(rig)).startsWith(of(LOOPBACK, 2, "upper_DROPPED"));
    }

    @Test
    @DisplayName("counts the same drops as the counters of the port")
    void sums() {
        Random random = new Random(5);
        for (int i = 0; i < 5_000; i++) {
            rig.receive(
                    Samples.of(Samples.any(Kind.values(), random), random), random.nextBoolean() ? LOOPBACK : STRANGER);
        }
        long counted = Arrays.stream(UdpCounter.values())
                .filter(UdpCounter::drops)
                .mapToLong(rig.counters::get)
                .sum();
        assertThat(counted).isPositive();
        assertThat(drops(rig).stream().mapToLong(SourceDrops::datagrams).sum()).isEqualTo(counted);
    }

    @Test
    @DisplayName("evicts the source whose last drop is oldest, beyond the number of the setting")
    void bounded() {
        EngineRig small = new EngineRig(Map.of("jwarp.udp.sources", "64"), true);
        byte[] wrong = data(shim(NUMBER, ~KEY));
        for (int i = 0; i < 200; i++) {
            small.receive(wrong, new DatagramAddress().setIpv4(i, 9));
            small.receive(wrong, STRANGER);
        }
        List<SourceDrops> all = drops(small);
        assertThat(all).hasSize(64).startsWith(of(STRANGER, 200, "rx_key"));
        assertThat(all.get(63)).isEqualTo(of(new DatagramAddress().setIpv4(200 - 63, 9), 1, "rx_key"));

        assertThat(small.counters.get(UdpCounter.DROPS_FORGOTTEN)).isEqualTo(201 - 64);

        for (int i = 0; i < 5_000; i++) {
            rig.receive(wrong, new DatagramAddress().setIpv4(i, 9));
        }
        assertThat(drops(rig)).hasSize(4_096);
    }

    @Test
    @DisplayName("allocates nothing for a drop")
    void allocatesNothing() {
        DropTable table = new DropTable(UdpSettings.of(Map.of()), new Tally<>(UdpCounter.class), 77);
        DatagramAddress source = new DatagramAddress();
        long least = Allocated.least(20, 0, () -> {
            for (int i = 0; i < 20_000; i++) {
                table.note(source.setIpv4(i, i & 7), "rx_key");
            }
        });
        assertThat(least).isZero();
    }
}
