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
 * All that the command line says, checked. Immutable.
 *
 * @param test what is measured
 * @param place where the other end is
 * @param load what both ends have to agree on
 * @param queues what each end has for itself
 * @param report what is told, and how
 * @param stack settings of the device contexts, as for {@code Device.open}
 * @param given the flags that the user gave, by their name here, such as {@code -s}; all else are defaults
 */
public record PerfSettings(
        PerfTest test,
        Place place,
        Load load,
        Queues queues,
        Reporting report,
        Map<String, String> stack,
        Set<String> given) {

    /** Stands among the given flags if the other end's load was taken over. */
    public static final String PEER = "peer";

    private static final Duration IDLE = Duration.ofMillis(100);
    private static final Duration ANSWERED = Duration.ofSeconds(5);

    private static final long RATE = 10_000_000;
    private static final int SHORTEST_LIMIT = 256;

    /** Whose language the other end speaks. */
    public enum PeerProtocol {
        /** Another {@code jwarp perf}: docs/perf-exchange.md. */
        JWARP,
        /** The programs of perftest, with {@code -R}. */
        PERFTEST
    }

    /**
     * Where the other end is.
     *
     * @param host the server to connect to; null for the server itself, and if both ends are here
     * @param local the address to listen on, or to connect from; null for any
     * @param self whether both ends are in this process
     * @param port of the control connection
     * @param dataPort of data, on the server; 0 for one that is free
     * @param persistent whether the server serves one client after another
     * @param timeout how long to wait for a sign of the other end
     * @param protocol whose language it speaks
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

        /** {@return how long a client may take to make its connections and say what it has: others wait meanwhile} */
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

    /** What {@code atomic_lat} does. */
    public enum AtomicKind {
        FETCH_AND_ADD,
        CMP_AND_SWAP
    }

    /**
     * What is to be done.
     *
     * @param type of the queue pairs
     * @param size bytes of a message
     * @param allSizes whether all of 2, 4, 8 ... 2^23 are measured, in place of {@code size}
     * @param iterations messages of each queue pair, each way; of no meaning with a duration
     * @param duration how long each size is measured; zero to measure by iterations
     * @param infinite whether it is measured again and again until the user has seen enough
     * @param warmUp how long the first size runs before it is measured; the others a tenth of it
     * @param queuePairs that share the load
     * @param bidirectional whether both ends send
     * @param outstandingReads Reads or Atomics of a queue pair under way at most
     * @param mtu of datagrams, bytes of IP packets; 0 to find out what the path takes
     * @param rate messages, bytes or bits in the unit below; 0 for as fast as it goes
     * @param rateUnit of the rate
     * @param atomic what {@code atomic_lat} does
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

        /** {@return whether it is measured for a time, not by iterations} */
        public boolean timed() {
            return !duration.isZero();
        }

        /** {@return nanoseconds between the starts of two messages of that size; 0 for as fast as it goes} */
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
     * How each end works.
     *
     * @param txDepth messages of a queue pair under way at most
     * @param rxDepth receives posted for a queue pair
     * @param postList messages posted at once; 0 for what suits the size
     * @param cqModeration every how many messages a completion is asked for; 0 for what suits depth and size
     * @param inline messages up to so many bytes are copied when they are posted
     * @param events whether to sleep until something comes, in place of looking again and again
     */
    public record Queues(int txDepth, int rxDepth, int postList, int cqModeration, int inline, boolean events) {
        private static final int MOST_IN_LIST = 32;
        private static final int OCTETS_OF_LIST = 256 << 10;
        private static final int USUAL_MODERATION = 100;
        private static final int OCTETS_OF_MODERATION = 4 << 20;

        /** {@return these, but asleep until something comes} */
        Queues sleeping() {
            return new Queues(txDepth, rxDepth, postList, cqModeration, inline, true);
        }

        /** {@return messages of that size to be posted at once} */
        public int listOf(int size) {
            int wanted =
                    postList > 0 ? postList : Math.max(1, Math.min(MOST_IN_LIST, OCTETS_OF_LIST / Math.max(1, size)));
            return Math.min(wanted, txDepth);
        }

        /** {@return every how many messages of that size a completion is asked for} */
        public int moderation(int size) {
            int usual = Math.min(Math.min(USUAL_MODERATION, txDepth / 4), OCTETS_OF_MODERATION / Math.max(1, size));
            return cqModeration > 0 ? Math.min(cqModeration, txDepth) : Math.max(1, usual);
        }
    }

    /** How the page looks. */
    public enum Format {
        /** perftest's, with more columns on the right. */
        EXTENDED,
        /** perftest's, byte for byte. */
        CLASSIC
    }

    /** What goes to standard output. */
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
     * What is told, and how.
     *
     * @param format of the page
     * @param output the page, or one number of it
     * @param gbits whether bandwidth is in 10^9 bits, else in 2^20 bytes per second
     * @param both whether a bidirectional test tells each direction, too
     * @param peak whether the fastest moment is told
     * @param cpuUtil whether the processor's share is told
     * @param histogram whether all latencies are dumped
     * @param interval between two signs of life on standard error; zero for none
     * @param minBandwidth each row must reach, in the unit of the page; null for no limit
     * @param minMessageRate each row must reach, 10^6 messages per second; null for no limit
     * @param maxP99 microseconds that no row may exceed; null for no limit
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
        /** {@return the same with another interval between signs of life} */
        public Reporting every(Duration time) {
            return new Reporting(
                    format, output, gbits, both, peak, cpuUtil, histogram, time, minBandwidth, minMessageRate, maxP99);
        }

        /** {@return the unit of bandwidth on the page} */
        public String unit() {
            return gbits ? "Gb/sec" : "MiB/sec";
        }
    }

    /** {@return what each end moves, on a device that makes progress in that way} */
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

    /** {@return what queue pairs of datagrams are made with} */
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

    /** {@return these with another load, as the other end wants it; {@link #given} has {@code peer} then} */
    public PerfSettings withLoad(Load other) {
        Set<String> both = new HashSet<>(given);
        both.add(PEER);
        return new PerfSettings(test, place, other, queues, report, stack, Set.copyOf(both));
    }

    /** {@return these with another place} */
    public PerfSettings withPlace(Place other) {
        return new PerfSettings(test, other, load, queues, report, stack, given);
    }
}
