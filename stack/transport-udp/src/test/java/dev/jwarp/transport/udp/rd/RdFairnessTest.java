package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.Kind;
import dev.jwarp.transport.udp.UdpCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Channels and TCP connections with CUBIC at one bottleneck, in virtual time. Bars: alone 0.9 of CUBIC's goodput and twice its
 * loss; beside others between half and twice a fair share. Windows are the largest that the wire format has, 1,024 datagrams.
 * Not here: 10 Mbit/s with 10 ms beside four (2.0 to 2.7 of fair) and with 20 ms, a queue of 0.1, beside four (2.2): there each
 * has less than four packets under way, and TCP waits for its least time-out of 200 ms most of the time.
 */
@DisplayName("At a bottleneck, a channel")
class RdFairnessTest {
    private static final long SEED = Long.getLong("jwarp.sim.seed", 1);
    private static final int PAYLOAD = 1412;
    private static final int PACKET = RdHost.HEADERS + PAYLOAD + 28;

    /** Fewer lost packets say nothing of a share. */
    private static final int FEW = 10;

    /** One bottleneck and who sends through it; what it tells is of the time after {@link #measure} began. */
    private static final class Lab {
        final RdSim sim = new RdSim(SEED);
        final Bottleneck link;
        final List<RdHost> channels = new ArrayList<>();
        final List<TcpFlow> flows = new ArrayList<>();
        double seconds;
        private double[] bytes = {};
        private long[] drops = {};

        Lab(double megabits, long roundTripMillis, double products) {
            link = new Bottleneck(sim, megabits, roundTripMillis, products);
            sim.bottleneck = link;
        }

        Lab channels(int count, RdSettings settings) {
            for (int i = 0; i < count; i++) {
                RdHost from = new RdHost(sim, 10 + channels.size(), 17, settings);
                RdHost to = new RdHost(sim, 1_000 + channels.size(), 18, settings);
                sim.behind.add(from.address);
                from.upper.segment = PAYLOAD;
                channels.add(from);
                sim.after(sim.random.nextInt(50_000_000), () -> from.post(to, 10_000_000, 1));
            }
            return this;
        }

        Lab tcp(int count) {
            for (int i = 0; i < count; i++) {
                TcpFlow flow = new TcpFlow(sim, link);
                flows.add(flow);
                sim.after(sim.random.nextInt(50_000_000), flow::start);
            }
            return this;
        }

        private int size() {
            return channels.size() + flows.size();
        }

        private double delivered(int i) {
            return i < channels.size()
                    ? (double) channels.get(i).upper.acceptedSegments * PACKET
                    : (double) flows.get(i - channels.size()).delivered() * TcpFlow.PACKET;
        }

        private long dropped(int i) {
            Object sender = i < channels.size() ? channels.get(i).address : flows.get(i - channels.size());
            return link.share(sender).dropped;
        }

        /** Lets it settle for so long, and then measures for so long. */
        Lab measure(int settleSeconds, int runSeconds) {
            sim.run(RdSim.millis(settleSeconds * 1_000L));
            bytes = new double[size()];
            drops = new long[size()];
            for (int i = 0; i < size(); i++) {
                bytes[i] = delivered(i);
                drops[i] = dropped(i);
            }
            sim.run(RdSim.millis(runSeconds * 1_000L));
            seconds = runSeconds;
            return this;
        }

        /** {@return Mbit/s of the i-th: channels first} */
        double rate(int i) {
            return (delivered(i) - bytes[i]) * 8 / 1e6 / seconds;
        }

        long lost(int i) {
            return dropped(i) - drops[i];
        }

        double sum() {
            double sum = 0;
            for (int i = 0; i < size(); i++) {
                sum += rate(i);
            }
            return sum;
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("seed " + SEED + ":");
            for (int i = 0; i < size(); i++) {
                text.append(String.format(
                        Locale.ROOT,
                        " %s %.2f Mbit/s, %d lost;",
                        i < channels.size() ? "RD" : "TCP",
                        rate(i),
                        lost(i)));
            }
            return text.toString();
        }
    }

    private static RdSettings settings(String control, int tolerance) {
        RdSettings usual = RdSettings.DEFAULT;
        return new RdSettings(
                1_024, 1_024, usual.channels(), usual.halfOpen(), control, tolerance, usual.giveUpNanos(), false);
    }

    private static final RdSettings USUAL = settings("cubic", 0);

    private static int settleSeconds(long roundTripMillis) {
        return roundTripMillis < 100 ? 3 : 5;
    }

    private static int runSeconds(long roundTripMillis) {
        return roundTripMillis < 100 ? 12 : 30;
    }

    @ParameterizedTest(name = "{0} Mbit/s, {1} ms, queue {2}")
    @CsvSource({
        "10,10,0.1", "10,10,0.5", "10,10,1", "10,10,4",
        "10,20,0.1", "10,20,0.5", "10,20,1", "10,20,4",
        "10,100,0.1", "10,100,0.5", "10,100,1", "10,100,4",
        "100,10,0.1", "100,10,0.5", "100,10,1", "100,10,4",
        "100,20,0.1", "100,20,0.5", "100,20,1", "100,20,4",
        "100,100,0.1", "100,100,0.5", "100,100,1", "100,100,4"
    })
    @DisplayName("alone has 0.9 of the goodput of CUBIC at least, and at most twice its loss")
    void alone(double megabits, long roundTripMillis, double queue) {
        int settle = settleSeconds(roundTripMillis);
        int run = runSeconds(roundTripMillis);
        Lab ours = new Lab(megabits, roundTripMillis, queue).channels(1, USUAL).measure(settle, run);
        Lab theirs = new Lab(megabits, roundTripMillis, queue).tcp(1).measure(settle, run);
        assertThat(ours.rate(0)).as("%s %s", ours, theirs).isGreaterThanOrEqualTo(0.9 * theirs.rate(0));
        assertThat(ours.lost(0)).as("%s %s", ours, theirs).isLessThanOrEqualTo(Math.max(FEW, 2 * theirs.lost(0)));
    }

    @ParameterizedTest(name = "{0} Mbit/s, {1} ms, queue {2}, beside {3}")
    @CsvSource({
        "10,10,0.1,1",
        "10,10,0.5,1",
        "10,10,1,1",
        "10,10,4,1",
        "10,20,0.1,1",
        "10,20,0.5,1",
        "10,20,1,1",
        "10,20,4,1",
        "10,100,0.1,1",
        "10,100,0.5,1",
        "10,100,0.5,4",
        "10,100,1,1",
        "10,100,1,4",
        "10,100,4,1",
        "10,100,4,4",
        "100,10,0.1,1",
        "100,10,0.1,4",
        "100,10,1,1",
        "100,10,1,4",
        "100,10,4,4",
        "100,20,0.1,1",
        "100,20,0.1,4",
        "100,20,0.5,1",
        "100,20,0.5,4",
        "100,20,1,1",
        "100,20,1,4",
        "100,20,4,1",
        "100,20,4,4",
        "100,100,0.1,1",
        "100,100,0.1,4",
        "100,100,0.5,1",
        "100,100,0.5,4",
        "100,100,1,1",
        "100,100,1,4",
        "100,100,4,1",
        "100,100,4,4"
    })
    @DisplayName("beside TCP has between half and twice its fair share")
    void beside(double megabits, long roundTripMillis, double queue, int others) {
        Lab lab = new Lab(megabits, roundTripMillis, queue)
                .channels(1, USUAL)
                .tcp(others)
                .measure(5, runSeconds(roundTripMillis));
        assertThat(lab.rate(0) / lab.sum() * (others + 1)).as("%s", lab).isBetween(0.5, 2.0);
    }

    @ParameterizedTest(name = "{0} Mbit/s, {1} ms, queue {2}")
    @CsvSource({"10,20,0.5", "10,100,1", "100,20,0.1", "100,20,1", "100,20,4", "100,100,1"})
    @DisplayName("shares with another one evenly: Jain's index is 0.9 at least")
    void two(double megabits, long roundTripMillis, double queue) {
        Lab lab = new Lab(megabits, roundTripMillis, queue).channels(2, USUAL).measure(5, 30);
        double squares = lab.rate(0) * lab.rate(0) + lab.rate(1) * lab.rate(1);
        assertThat(lab.sum() * lab.sum() / 2 / squares).as("%s", lab).isGreaterThanOrEqualTo(0.9);
    }

    @ParameterizedTest(name = "{0} %")
    @CsvSource({"1", "5", "10"})
    @DisplayName("with random loss is no slower than CUBIC, and five times as fast with the tolerance for it")
    void randomLoss(double percent) {
        Lab theirs = new Lab(20, 100, 1).tcp(1);
        Lab ours = new Lab(20, 100, 1).channels(1, USUAL);
        Lab tolerant = new Lab(20, 100, 1).channels(1, settings("cubic", 10));
        for (Lab lab : List.of(theirs, ours, tolerant)) {
            lab.link.loss = percent / 100;
            lab.measure(5, 40);
        }
        assertThat(ours.rate(0)).as("%s %s", ours, theirs).isGreaterThanOrEqualTo(theirs.rate(0));
        assertThat(tolerant.rate(0)).as("%s %s", tolerant, theirs).isGreaterThanOrEqualTo(5 * theirs.rate(0));
    }

    @ParameterizedTest(name = "{0} ms")
    @CsvSource({"10", "20", "100"})
    @DisplayName("does not collapse when 5 % of the packets are late by half a round trip")
    void reordering(long roundTripMillis) {
        Lab straight = new Lab(100, roundTripMillis, 1).channels(1, USUAL).measure(5, 15);
        Lab mixed = new Lab(100, roundTripMillis, 1).channels(1, USUAL);
        mixed.link.late = 0.05;
        mixed.link.lateBy = RdSim.millis(roundTripMillis) / 2;
        mixed.measure(5, 15);
        assertThat(mixed.rate(0)).as("%s", mixed).isGreaterThanOrEqualTo(0.8 * straight.rate(0));
    }

    @Test
    @DisplayName("lives through 10 s without a path: few probes go out, and it goes on at its rate afterwards")
    void outage() {
        Lab lab = new Lab(100, 20, 1).channels(1, USUAL).measure(5, 5);
        double before = lab.rate(0);
        RdHost sender = lab.channels.get(0);
        lab.link.down = true;
        lab.sim.run(RdSim.millis(500)); // what is in flight
        long sent = lab.link.share(sender.address).sent;
        lab.sim.run(RdSim.millis(9_500));
        assertThat(lab.link.share(sender.address).sent - sent).as("no storm").isLessThan(30);
        lab.link.down = false;
        long accepted = sender.upper.acceptedSegments;
        long back = lab.sim.now();
        assertThat(lab.sim.runUntil(() -> sender.upper.acceptedSegments > accepted, RdSim.millis(20_000)))
                .as("probes %d", sender.counted(UdpCounter.RD_PROBES))
                .isTrue();
        System.out.printf(Locale.ROOT, "10 s outage: goes on after %d ms%n", (lab.sim.now() - back) / 1_000_000);
        lab.measure(2, 5);
        assertThat(lab.rate(0)).as("%s", lab).isGreaterThan(0.9 * before);
        assertThat(sender.upper.lost).isEmpty();
    }

    @Test
    @DisplayName("begins with ten datagrams, and again so after a pause: what it had is no licence to flood")
    void idleRestart() {
        Lab lab = new Lab(100, 20, 1);
        lab.sim.record = true;
        RdHost from = new RdHost(lab.sim, 10, 17, USUAL);
        RdHost to = new RdHost(lab.sim, 1_000, 18, USUAL);
        lab.sim.behind.add(from.address);
        from.upper.segment = PAYLOAD;
        from.post(to, 2_000, 1);
        assertThat(lab.sim.runUntil(from.upper::allDone, RdSim.millis(5_000))).isTrue();
        lab.sim.run(RdSim.millis(10_000));
        lab.sim.wire.clear();
        from.post(to, 2_000, 1);
        lab.sim.run(RdSim.millis(19));
        assertThat(lab.sim.sent(from, Kind.DATA)).hasSizeBetween(3, 10);
    }
}
