package dev.jwarp.rnic;

import static dev.jwarp.verbs.WorkCompletionStatus.RESP_TIMEOUT_ERR;
import static dev.jwarp.verbs.WorkCompletionStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimBottleneck;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two complete stacks in virtual time, with a bottleneck between them that only their own congestion control regulates.
 */
@DisplayName("Reads over UD through a bottleneck")
class DatagramBottleneckTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int READ = 1 << 20;
    private static final int PATH_PROBE = 11;
    private static final int KINDS = 0xf;

    /** A reader and a responder, with the results. */
    private static final class Lab implements AutoCloseable {
        final SimNetwork network = new SimNetwork(Long.getLong("jwarp.sim.seed", 1));
        final DatagramWorld world;
        final SimBottleneck link;
        final DatagramSide reader;
        final DatagramSide source;
        final Map<WorkCompletionStatus, Integer> ends = new EnumMap<>(WorkCompletionStatus.class);
        private final AddressHandle peer;
        private final WorkCompletion[] taken = WorkCompletion.array(16);
        private final double megabits;
        private int outstanding;
        private long asked;
        private long datagrams;
        private long dropped;
        private double seconds;
        private long bytes;

        Lab(double megabits, long roundTripMillis, double products, Map<String, String> settings) {
            this.megabits = megabits;
            world = DatagramWorld.simulated(network, settings);
            link = new SimBottleneck(
                    (long) (megabits * 1e6), (long) (products * megabits * 1e6 / 8 * roundTripMillis / 1_000));
            long delay = roundTripMillis * MILLI / 2;
            world.datagrams().faults(new DatagramFaults(0, 0, delay, delay));
            reader = side(0);
            source = side(1);
            world.datagrams()
                    .bottleneck(
                            world.address(1, 0).getAddress(),
                            world.address(0, 0).getAddress(),
                            link);
            peer = reader.to(source);
        }

        private DatagramSide side(int host) {
            return DatagramSide.on(
                    world, host, UnaryOperator.identity(), with -> with.timeouts(DatagramTimeouts.DEFAULT));
        }

        /** Keeps {@code reads} Reads of {@code length} bytes outstanding for {@code millis}. */
        void read(int reads, int length, long millis) {
            datagrams = link.datagrams();
            dropped = link.dropped();
            seconds = millis / 1e3;
            ends.clear();
            bytes = 0;
            for (long i = 0; i < millis; i++) {
                while (outstanding < reads) {
                    reader.queuePair.postSend(reader.read(asked++, peer, source, 0, length));
                    outstanding++;
                }
                network.runFor(MILLI);
                int count = reader.completions.poll(taken);
                for (int k = 0; k < count; k++) {
                    ends.merge(taken[k].status(), 1, Integer::sum);
                    bytes += taken[k].byteLength();
                }
                outstanding -= count;
            }
        }

        /** {@return the fraction of the sent datagrams that the bottleneck dropped} */
        double loss() {
            return (double) (link.dropped() - dropped) / Math.max(1, link.datagrams() - datagrams);
        }

        long sent() {
            return link.datagrams() - datagrams;
        }

        long dropped() {
            return link.dropped() - dropped;
        }

        /**
         * {@return the bytes placed by Reads, including incomplete ones, as a fraction of the bottleneck's capacity}
         */
        double use() {
            return bytes * 8 / 1e6 / seconds / megabits;
        }

        @Override
        public void close() {
            world.close();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d sent, %.2f %% lost, %.2f of the bottleneck used, %s",
                    link.datagrams() - datagrams,
                    100 * loss(),
                    use(),
                    ends);
        }
    }

    private static final Map<String, String> OPEN = Map.of("jwarp.udp.controlled", "");

    static Stream<Object[]> settles() {
        return Whole.rows(3, "10,20,1,4", "10,20,0.5,4", "100,20,1,4", "10,20,4,4", "10,100,1,4");
    }

    @Tag("DG-6-1")
    @Tag("DG-6-11")
    @ParameterizedTest(name = "{0} Mbit/s, {1} ms, queue {2}, {3} Reads of 1 MiB")
    @MethodSource
    @DisplayName("settle: the bottleneck is used, and little is lost, from the beginning")
    void settles(double megabits, long roundTrip, double queue, int reads) {
        try (Lab lab = new Lab(megabits, roundTrip, queue, OPEN)) {
            lab.read(reads, READ, 5_000);
            System.out.println("At first: " + lab);
            // A rate-based sender learns of a full queue one round trip late, so at the beginning twice the capacity of
            // path and queue may be lost.
            double product = megabits * 1e6 / 8 * roundTrip / 1_000 / 1_500;
            assertThat(lab.dropped()).as("at first: %s", lab).isLessThan((long)
                    Math.max(0.06 * lab.sent(), 2.5 * (1 + queue) * product));
            lab.read(reads, READ, Whole.or(20_000, 60_000));
            System.out.println("Then: " + lab);
            assertThat(lab.loss()).as("%s", lab).isLessThan(0.02);
            assertThat(lab.use()).as("%s", lab).isGreaterThan(0.8);
            assertThat(lab.ends).as("all are answered, at least in part").doesNotContainKey(RESP_TIMEOUT_ERR);
        }
    }

    @Tag("DG-8-3")
    @Test
    @DisplayName("get more time as long as their answer arrives evenly")
    void slowly() {
        // 1 MiB takes 4.2 s, twice the timeout; the queue is long enough to lose nothing.
        try (Lab lab = new Lab(2, 20, 500, OPEN)) {
            lab.read(1, READ, 15_000);
            assertThat(lab.ends).as("%s", lab).containsOnlyKeys(SUCCESS);
        }
    }

    @Tag("DG-10-20")
    @Test
    @DisplayName("of one datagram each settle, too")
    void small() {
        try (Lab lab = new Lab(10, 20, 1, OPEN)) {
            lab.read(64, 1_400, 5_000);
            lab.read(64, 1_400, Whole.or(5_000, 15_000));
            System.out.println("Small: " + lab);
            assertThat(lab.loss()).as("%s", lab).isLessThan(0.02);
            assertThat(lab.use()).as("%s", lab).isGreaterThan(0.7);
        }
    }

    @Tag("DG-6-6")
    @Tag("DG-8-3")
    @Test
    @DisplayName("whose requester sends no feedback are answered at 1 Mbit/s, and none is given up")
    void older() {
        try (Lab lab = new Lab(10, 20, 1, OPEN)) {
            lab.world.datagrams().lose(octets -> (octets.get(octets.position()) & KINDS) == PATH_PROBE);
            lab.read(4, READ / 16, 20_000);
            System.out.println("Older: " + lab);
            assertThat(lab.link.dropped()).isZero();
            assertThat(lab.use()).as("%s", lab).isBetween(0.08, 0.11);
            assertThat(lab.ends).as("%s", lab).containsOnlyKeys(SUCCESS);
        }
    }

    @Test
    @DisplayName("in a controlled network are not limited, and no feedback is requested")
    void controlled() {
        try (Lab lab = new Lab(100_000, 1, 100, Map.of())) {
            lab.read(16, READ, 8);
            System.out.println("Controlled: " + lab);
            assertThat(lab.ends).as("%s", lab).containsOnlyKeys(SUCCESS);
            assertThat(lab.use()).as("16 MiB in a round trip, of 100 Gbit/s").isGreaterThan(0.3);
            assertThat(lab.source.counter("tx_path_probe")).isZero();
        }
    }
}
