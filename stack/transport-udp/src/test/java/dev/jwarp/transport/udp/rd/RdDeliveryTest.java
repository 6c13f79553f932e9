package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.vectors.Whole;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("With all faults of the network, a channel delivers exactly once and in order:")
class RdDeliveryTest extends RdPair {
    private static final int SEEDS = Whole.or(8, 20);

    private static void exchange(RdPair net, int messages, boolean bothWays) {
        for (int i = 0; i < messages; i++) {
            net.a.upper.post(net.a.handleOf(net.b), 1 + net.sim.random.nextInt(60));
            if (bothWays) {
                net.b.upper.post(net.b.handleOf(net.a), 1 + net.sim.random.nextInt(60));
            }
        }
        net.a.pump();
        net.b.pump();
        net.settle(300_000);
        net.assertDelivered();
        net.assertNothingLost();
    }

    @ParameterizedTest(name = "{0} of all datagrams lost, in both directions")
    @ValueSource(doubles = {0, 0.01, 0.05, 0.10, 0.20, 0.30})
    void loss(double loss) {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdPair net = new RdPair(seed);
            net.sim.loss = loss;
            exchange(net, 40, seed % 2 == 0);
        }
    }

    @Tag("DG-11.2-1")
    @Tag("DG-11.2-2")
    @ParameterizedTest(name = "loss {0}, duplicates {1}, corruption {2}, up to {3} ms of reordering")
    @CsvSource({"0,0,0,5", "0,0.5,0,1", "0.05,0.1,0.05,2", "0.1,0.2,0.1,10", "0.3,0.3,0,20", "0,0,0.2,0"})
    void everything(double loss, double duplication, double corruption, long jitter) {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdPair net = new RdPair(seed);
            net.sim.faults(loss, duplication, jitter);
            net.sim.corruption = corruption;
            exchange(net, 25, true);
        }
    }

    @Test
    @DisplayName("through a slow link with a short drop-tail queue")
    void shortQueue() {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdPair net = new RdPair(seed);
            net.sim.rate = 2_000_000;
            net.sim.queue = 10_000;
            net.sim.loss = 0.02;
            exchange(net, 25, true);
        }
    }

    @Tag("DG-11.2-1")
    @Tag("DG-11.2-2")
    @Tag("DG-11.2-5")
    @Test
    @DisplayName("acks come at once for duplicates, gaps and flag A, else with the 16th datagram or after 2 ms")
    void acks() {
        sim.record = true;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(20));
        RdPacket data = sim.sent(a, Kind.DATA).get(0);
        int next = data.psn + 1;

        assertThat(acksOf(data))
                .singleElement()
                .satisfies(p -> assertThat(p.ack).isEqualTo(next));
        assertThat(b.counted(UdpCounter.RD_DUP)).isEqualTo(1);

        data.asked = false;
        data.psn = next + 1;
        assertThat(acksOf(data)).singleElement().satisfies(p -> {
            assertThat(p.ack).isEqualTo(next);
            assertThat(p.words).containsExactly(1L << 63);
        });
        data.psn = next;
        acksOf(data);
        assertThat(b.upper.from(a.upper)).hasSize(3);
        sim.run(RdSim.millis(20));

        data.psn = next + 2;
        assertThat(acksOf(data)).isEmpty();
        sim.run(RdSettings.ACK_DELAY - 1);
        assertThat(sim.sent(b, Kind.RD_ACK)).isEmpty();
        sim.run(1);
        assertThat(sim.sent(b, Kind.RD_ACK)).hasSize(1);

        for (int i = 1; i <= 16; i++) {
            data.psn = next + 2 + i;
            assertThat(acksOf(data)).hasSize(i / 16);
        }
        data.psn = next + 19;
        data.asked = true;
        assertThat(acksOf(data)).hasSize(1);
    }

    private List<RdPacket> acksOf(RdPacket data) {
        sim.wire.clear();
        sim.deliver(data);
        return sim.sent(b, Kind.RD_ACK);
    }

    @Tag("DG-11.3-6")
    @Test
    @DisplayName("the last datagram of each message requests an ack")
    void asks() {
        sim.record = true;
        a.post(b, 3, 2);
        settle(100);
        assertThat(sim.sent(a, Kind.DATA))
                .extracting(p -> p.asked)
                .containsExactly(false, false, true, false, false, true);
    }
}
