package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.vectors.Whole;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("With all faults of the network, a channel delivers exactly once and in order:")
class RdDeliveryTest {
    private static final int SEEDS = Whole.or(8, 20);

    /** Every successful message of the sender was received once, in order, and nothing else. */
    static void assertExactlyOnceInOrder(RdUpper sender, RdUpper receiver, String what) {
        List<Long> expected = new ArrayList<>();
        for (RdUpper.Message message : sender.messages) {
            assertThat(message.status).as(what).isEqualTo(OperationStatus.SUCCESS);
            for (int i = 0; i < message.segments; i++) {
                expected.add(RdUpper.mark(message.number, i));
            }
        }
        assertThat(receiver.from(sender)).as(what).isEqualTo(expected);
    }

    private static void exchange(RdSim sim, int messages, boolean bothWays, String what) {
        RdHost a = new RdHost(sim, 1, 17);
        RdHost b = new RdHost(sim, 2, 18);
        DatagramPeer toB = b.handle();
        DatagramPeer toA = a.handle();
        for (int i = 0; i < messages; i++) {
            a.upper.post(toB, 1 + sim.random.nextInt(60));
            if (bothWays) {
                b.upper.post(toA, 1 + sim.random.nextInt(60));
            }
        }
        a.pump();
        b.pump();
        boolean done = sim.runUntil(() -> a.upper.allDone() && b.upper.allDone(), RdSim.millis(300_000));
        assertThat(done)
                .as("%s: all done, %s, %s", what, a.counters, b.counters)
                .isTrue();
        assertExactlyOnceInOrder(a.upper, b.upper, what);
        assertExactlyOnceInOrder(b.upper, a.upper, what);
        assertThat(a.upper.lost).as(what).isEmpty();
        assertThat(b.upper.lost).as(what).isEmpty();
    }

    @ParameterizedTest(name = "{0} of all datagrams lost, in both directions")
    @ValueSource(doubles = {0, 0.01, 0.05, 0.10, 0.20, 0.30})
    void loss(double loss) {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdSim sim = new RdSim(seed);
            sim.loss = loss;
            exchange(sim, 40, seed % 2 == 0, "loss " + loss + ", seed " + seed);
        }
    }

    @Tag("DG-11.2-1")
    @Tag("DG-11.2-2")
    @ParameterizedTest(name = "loss {0}, duplicates {1}, corruption {2}, up to {3} ms of reordering")
    @CsvSource({"0,0,0,5", "0,0.5,0,1", "0.05,0.1,0.05,2", "0.1,0.2,0.1,10", "0.3,0.3,0,20", "0,0,0.2,0"})
    void everything(double loss, double duplication, double corruption, long jitter) {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdSim sim = new RdSim(seed);
            sim.loss = loss;
            sim.duplication = duplication;
            sim.corruption = corruption;
            sim.jitter = RdSim.millis(jitter);
            exchange(sim, 25, true, "seed " + seed);
        }
    }

    @Test
    @DisplayName("through a slow link with a short drop-tail queue")
    void shortQueue() {
        for (long seed = 0; seed < SEEDS; seed++) {
            RdSim sim = new RdSim(seed);
            sim.rate = 2_000_000;
            sim.queue = 10_000;
            sim.loss = 0.02;
            exchange(sim, 25, true, "seed " + seed);
        }
    }

    @Tag("DG-11.2-1")
    @Tag("DG-11.2-2")
    @Tag("DG-11.2-5")
    @Test
    @DisplayName("acks come at once for duplicates, gaps and flag A, else with the 16th datagram or after 2 ms")
    void acks() {
        RdSim sim = new RdSim(1);
        sim.record = true;
        RdHost a = new RdHost(sim, 1, 17);
        RdHost b = new RdHost(sim, 2, 18);
        a.post(b, 1, 1);
        sim.run(RdSim.millis(20));
        RdPacket data = sim.sent(a, Kind.DATA).get(0);
        int next = data.psn + 1;

        assertThat(acksOf(sim, b, data))
                .singleElement()
                .satisfies(p -> assertThat(p.ack).isEqualTo(next));
        assertThat(b.counted(UdpCounter.RD_DUP)).isEqualTo(1);

        data.asked = false;
        data.psn = next + 1;
        assertThat(acksOf(sim, b, data)).singleElement().satisfies(p -> {
            assertThat(p.ack).isEqualTo(next);
            assertThat(p.words).containsExactly(1L << 63);
        });
        data.psn = next;
        acksOf(sim, b, data);
        assertThat(b.upper.from(a.upper)).hasSize(3);
        sim.run(RdSim.millis(20));

        data.psn = next + 2;
        assertThat(acksOf(sim, b, data)).isEmpty();
        sim.run(RdSettings.ACK_DELAY - 1);
        assertThat(sim.sent(b, Kind.RD_ACK)).isEmpty();
        sim.run(1);
        assertThat(sim.sent(b, Kind.RD_ACK)).hasSize(1);

        for (int i = 1; i <= 16; i++) {
            data.psn = next + 2 + i;
            assertThat(acksOf(sim, b, data)).hasSize(i / 16);
        }
        data.psn = next + 19;
        data.asked = true;
        assertThat(acksOf(sim, b, data)).hasSize(1);
    }

    private static List<RdPacket> acksOf(RdSim sim, RdHost host, RdPacket data) {
        sim.wire.clear();
        sim.deliver(data);
        return sim.sent(host, Kind.RD_ACK);
    }

    @Tag("DG-11.3-6")
    @Test
    @DisplayName("the last datagram of each message requests an ack")
    void asks() {
        RdSim sim = new RdSim(1);
        sim.record = true;
        RdHost a = new RdHost(sim, 1, 17);
        RdHost b = new RdHost(sim, 2, 18);
        a.post(b, 3, 2);
        assertThat(sim.runUntil(a.upper::allDone, RdSim.millis(100))).isTrue();
        assertThat(sim.sent(a, Kind.DATA))
                .extracting(p -> p.asked)
                .containsExactly(false, false, true, false, false, true);
    }
}
