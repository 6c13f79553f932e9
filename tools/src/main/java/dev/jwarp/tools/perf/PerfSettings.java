package dev.jwarp.tools.perf;

import dev.jwarp.tools.traffic.TrafficLoad;
import dev.jwarp.tools.traffic.TrafficLoad.Operation;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.tools.traffic.TrafficLoad.Waiting;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the command line, checked. Immutable.
 *
 * @param test the test
 * @param place addresses of both ends
 * @param load the parameters on which both ends have to agree
 * @param queues the parameters of this end only
 * @param report the output
 * @param stack settings of the device contexts, as for {@code Device.open}
 * @param given the flags on the command line, such as {@code -s}; all other values are defaults
 */
public record PerfSettings(
        PerfTest test,
        Place place,
        Load load,
        Queues queues,
        Reporting report,
        Map<String, String> stack,
        Set<String> given) {

    /** An entry of {@link #given} if the load is that of the other end. */
    public static final String PEER = "peer";

    private static final Duration IDLE = Duration.ofMillis(100);
    private static final Duration ANSWERED = Duration.ofSeconds(5);

    private static final long RATE = 10_000_000;
    private static final int SHORTEST_LIMIT = 256;

    /** The protocol of the other end. */
    public enum PeerProtocol {
        /** Another {@code jwarp perf}: docs/perf-exchange.md. */
        JWARP,
        /** The programs of perftest, with {@code -R}. */
        PERFTEST
    }

    /**
     * Addresses of both ends.
     *
     * @param host the server to connect to; null for the server itself, and if both ends are in this process
     * @param local the address to listen on, or to connect from; null for any
     * @param self whether both ends are in this process
     * @param port of the control connection
     * @param dataPort of the data connections, on the server; 0 for a free one
     * @param persistent whether the server serves one client after another
     * @param timeout time to wait for a note of the other end
     * @param protocol the protocol of the other end
     */
    public record Place(
            @Nullable String host,
            @Nullable String local,
            boolean self,
            int port,
            int dataPort,
            boolean persistent,
            Duration timeout,
            PeerProtocol protocol) {
        private static final Duration SET_UP = Duration.ofSeconds(10);

        /** {@return time for a client to make its connections and to send its place; other clients wait meanwhile} */
        public Duration setUp() {
            return timeout.compareTo(SET_UP) < 0 ? timeout : SET_UP;
        }

        /** {@return whether this process only waits for clients} */
        public boolean server() {
            return host == null && !self;
        }
    }

    /** Unit of {@code --rate_limit}: perftest's letters. */
    public enum RateUnit {
        /** 2^20 bytes per second. */
        M,
        /** 10^9 bits per second. */
        G,
        /** Messages per second. */
        P
    }

    /** The operation of {@code atomic_lat}. */
    public enum AtomicKind {
        FETCH_AND_ADD,
        CMP_AND_SWAP
    }

    /**
     * The load of the test.
     *
     * @param type of the queue pairs
     * @param size bytes of a message
     * @param allSizes whether to measure 2, 4, 8 ... 2^23 instead of {@code size}
     * @param iterations messages of each queue pair in each direction; not used with a duration
     * @param duration of each measurement; zero to measure by iterations
     * @param infinite whether to repeat the measurement until the user ends it
     * @param warmUp duration of the warm-up of the first size; a tenth of it for the others
     * @param queuePairs that share the load
     * @param bidirectional whether both ends send
     * @param outstandingReads most Reads or Atomics of a queue pair in flight
     * @param mtu of datagrams, bytes of IP packets; 0 to discover it
     * @param rate in {@code rateUnit}; 0 for no limit
     * @param rateUnit of the rate
     * @param atomic the operation of {@code atomic_lat}
     */
    public record Load(
            QueuePairType type,
            int size,
            boolean allSizes,
            long iterations,
            Duration duration,
            boolean infinite,
            Duration warmUp,
            int queuePairs,
            boolean bidirectional,
            int outstandingReads,
            int mtu,
            double rate,
            RateUnit rateUnit,
            AtomicKind atomic) {
        private static final int LARGEST_POWER = 23;

        /** {@return the sizes to be measured, ascending} */
        public List<Integer> sizes() {
            return allSizes
                    ? IntStream.rangeClosed(1, LARGEST_POWER)
                            .mapToObj(power -> 1 << power)
                            .toList()
                    : List.of(size);
        }

        /** {@return the largest size to be measured} */
        public int largest() {
            return allSizes ? 1 << LARGEST_POWER : size;
        }

        /** {@return whether a measurement is limited by time, not by iterations} */
        public boolean timed() {
            return !duration.isZero();
        }

        /** {@return nanoseconds between the starts of two messages of that size; 0 without a rate} */
        public double gapNanos(int messageSize) {
            double perSecond =
                    switch (rateUnit) {
                        case M -> rate * (1 << 20) / messageSize;
                        case G -> rate * 1e9 / 8 / messageSize;
                        case P -> rate;
                    };
            return perSecond > 0 ? 1e9 / perSecond : 0;
        }
    }

    /**
     * The queues of an end.
     *
     * @param txDepth most messages of a queue pair in flight
     * @param rxDepth receives posted for a queue pair
     * @param postList messages posted at once; 0 to derive it from the size
     * @param cqModeration messages per completion; 0 to derive it from depth and size
     * @param inline messages up to so many bytes are copied when they are posted
     * @param events whether to sleep until something arrives, instead of polling in a loop
     */
    public record Queues(int txDepth, int rxDepth, int postList, int cqModeration, int inline, boolean events) {
        private static final int MOST_IN_LIST = 32;
        private static final int OCTETS_OF_LIST = 256 << 10;
        private static final int USUAL_MODERATION = 100;
        private static final int OCTETS_OF_MODERATION = 4 << 20;

        /** {@return the same, but sleeping until something arrives} */
        Queues sleeping() {
            return new Queues(txDepth, rxDepth, postList, cqModeration, inline, true);
        }

        /** {@return messages of that size to be posted at once} */
        public int listOf(int size) {
            int wanted =
                    postList > 0 ? postList : Math.max(1, Math.min(MOST_IN_LIST, OCTETS_OF_LIST / Math.max(1, size)));
            return Math.min(wanted, txDepth);
        }

        /** {@return messages per completion for that size} */
        public int moderation(int size) {
            int usual = Math.min(Math.min(USUAL_MODERATION, txDepth / 4), OCTETS_OF_MODERATION / Math.max(1, size));
            return cqModeration > 0 ? Math.min(cqModeration, txDepth) : Math.max(1, usual);
        }
    }

    /** The format of the page. */
    public enum Format {
        /** That of perftest, with more columns on the right. */
        EXTENDED,
        /** That of perftest, byte for byte. */
        CLASSIC
    }

    /** The content of standard output. */
    public enum Output {
        /** The whole page. */
        PAGE,
        /** The average bandwidth alone. */
        BANDWIDTH,
        /** The message rate alone. */
        MESSAGE_RATE,
        /** The average latency alone. */
        LATENCY
    }

    /**
     * The output.
     *
     * @param format of the page
     * @param output the page, or one number of it
     * @param gbits whether bandwidth is in 10^9 bits, else in 2^20 bytes per second
     * @param both whether a bidirectional test prints each direction, too
     * @param peak whether to measure the peak bandwidth
     * @param cpuUtil whether to print the processor use
     * @param histogram whether to print all latencies
     * @param interval between two lines of progress on standard error; zero for none
     * @param minBandwidth least bandwidth of a row, in the unit of the page; null for no limit
     * @param minMessageRate least message rate of a row, in 10^6 messages per second; null for no limit
     * @param maxP99 largest 99th percentile of a row in microseconds; null for no limit
     */
    public record Reporting(
            Format format,
            Output output,
            boolean gbits,
            boolean both,
            boolean peak,
            boolean cpuUtil,
            boolean histogram,
            Duration interval,
            @Nullable Double minBandwidth,
            @Nullable Double minMessageRate,
            @Nullable Double maxP99) {
        /** {@return the same with another interval between lines of progress} */
        public Reporting every(Duration time) {
            return new Reporting(
                    format, output, gbits, both, peak, cpuUtil, histogram, time, minBandwidth, minMessageRate, maxP99);
        }

        /** {@return the unit of bandwidth on the page} */
        public String unit() {
            return gbits ? "Gb/sec" : "MiB/sec";
        }
    }

    /** {@return the traffic of an end, on a device with that progress} */
    TrafficLoad traffic(Progress progress) {
        boolean looks = test == PerfTest.WRITE_LAT && load.type() == QueuePairType.RC;
        boolean sleeps = queues.events() || (progress == Progress.THREADED && !looks);
        Operation operation =
                switch (test.operation()) {
                    case SEND -> Operation.SEND;
                    case WRITE -> Operation.WRITE;
                    case READ -> Operation.READ;
                    case ATOMIC ->
                        load.atomic() == AtomicKind.FETCH_AND_ADD
                                ? Operation.FETCH_AND_ADD
                                : Operation.COMPARE_AND_SWAP;
                };
        return new TrafficLoad(
                operation,
                load.type(),
                load.queuePairs(),
                load.largest(),
                0,
                Math.max(queues.txDepth(), load.outstandingReads()),
                queues.rxDepth(),
                queues.inline(),
                sleeps ? Waiting.NAP : Waiting.SPIN,
                Telling.MEMORY);
    }

    /** {@return the attributes of datagram queue pairs} */
    DatagramAttributes datagrams(InetAddress local) {
        DatagramAttributes.Builder attributes = DatagramAttributes.builder(new InetSocketAddress(local, 0))
                .timeouts(new DatagramTimeouts(IDLE, ANSWERED, IDLE, RATE))
                .maxMessage(Math.max(SHORTEST_LIMIT, load.largest()))
                .maxRead(load.largest());
        if (load.mtu() > 0) {
            attributes.pathMtu(load.mtu());
        }
        return attributes.build();
    }

    /** {@return the same with the load of the other end} {@link #given} then has {@link #PEER}. */
    public PerfSettings withLoad(Load other) {
        Set<String> both = new HashSet<>(given);
        both.add(PEER);
        return new PerfSettings(test, place, other, queues, report, stack, Set.copyOf(both));
    }

    /** {@return the same with another place} */
    public PerfSettings withPlace(Place other) {
        return new PerfSettings(test, other, load, queues, report, stack, given);
    }
}
