package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.perf.PerfSettings.AtomicKind;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.Queues;
import dev.jwarp.tools.perf.PerfSettings.RateUnit;
import dev.jwarp.verbs.QueuePairType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the test and its load; the letters are perftest's. */
final class PerfFlags {
    private static final int SIZE_BW = 65_536;
    private static final int SIZE_LAT = 2;
    private static final int SIZE_ATOMIC = 8;
    private static final int MOST_SIZE = 1 << 29;
    static final int MOST_QUEUE_PAIRS = 256;
    private static final int MOST_DEPTH = 8192;
    private static final int MOST_INLINE = 1024;
    static final int MOST_READS = 128;
    private static final int LEAST_MTU = 576;
    static final int MOST_MTU = 65_535;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "RC|UD|RD",
            description =
                    "Type of the queue pairs, default RC. UD and RD are datagrams, where a Write is a Write-Record.")
    private @Nullable QueuePairType type;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "Bytes of a message, default 65536 for bandwidth, 2 for latency, 8 for Atomics.")
    private @Nullable Integer size;

    @Option(
            names = {"-a", "--all"},
            description = "All powers of two from 2^1 to 2^23 as sizes.")
    private boolean all;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "COUNT",
            description = "Messages of each queue pair and size, default 1000, for write_bw 5000.")
    private @Nullable Long iterations;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            description = "Measure for the whole of this time, instead of a number of messages.")
    private @Nullable Double duration;

    @Option(names = "--run_infinitely", description = "With -D: print a row after each such time, until Ctrl-C.")
    private boolean infinite;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            description = "Time before the measurement of the first size, default 1; a tenth of it for later sizes.")
    private @Nullable Double warmUp;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "COUNT",
            description = "Bandwidth: number of queue pairs that share the load, default 1.")
    private @Nullable Integer queuePairs;

    @Option(
            names = {"-b", "--bidirectional"},
            description = "Bandwidth: both ends send at the same time.")
    private boolean bidirectional;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "COUNT",
            description = "Most Reads of a queue pair in flight, default 128, in datagrams 16.")
    private @Nullable Integer reads;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "UD, RD: bytes of an IP packet; discovered by default. For RC, TCP decides.")
    private @Nullable Integer mtu;

    @Option(
            names = "--rate_limit",
            paramLabel = "RATE",
            description = "Start messages evenly at this rate. Latency counts from the scheduled start of a message.")
    private @Nullable Double rate;

    @Option(
            names = "--rate_units",
            paramLabel = "M|g|p",
            description = "Unit of the rate: 2^20 bytes, 10^9 bits, or messages a second; default M.")
    private @Nullable RateUnit rateUnit;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "TYPE",
            description = "FETCH_AND_ADD (default) or CMP_AND_SWAP.")
    private @Nullable AtomicKind atomic;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "COUNT",
            description = "Most messages of a queue pair in flight, default 128, for latency 1.")
    private @Nullable Integer txDepth;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "COUNT",
            description = "Receives posted for a queue pair, default 512.")
    private @Nullable Integer rxDepth;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "COUNT",
            description = "Messages posted at once; default up to 32, 256 KiB together.")
    private @Nullable Integer postList;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "COUNT",
            description = "Messages per completion; default a quarter of -t, at most 100 messages and 4 MiB.")
    private @Nullable Integer moderation;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "Copy messages of at most so many bytes when they are posted, default 0.")
    private @Nullable Integer inline;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until something arrives, instead of polling in a loop.")
    private boolean events;

    /** Made by picocli. */
    PerfFlags() {}

    /** {@return the parameters on which both ends have to agree, checked} */
    Load load(PerfTest test) {
        QueuePairType kind = type == null ? QueuePairType.RC : type;
        checkAgainst(test, kind);
        boolean datagrams = kind != QueuePairType.RC;
        return new Load(
                kind,
                inRange("-s", size, usualSize(test), 1, MOST_SIZE),
                all,
                inRange("-n", iterations, test == PerfTest.WRITE_BW ? 5000 : 1000, 1, Long.MAX_VALUE / 2),
                Timeout.seconds("-D", duration == null ? 0 : duration),
                infinite,
                Timeout.seconds("--warmup", warmUp == null ? 1 : warmUp),
                inRange("-q", queuePairs, 1, 1, MOST_QUEUE_PAIRS),
                bidirectional,
                inRange("-o", reads, datagrams ? 16 : MOST_READS, 1, MOST_READS),
                inRange("-m", mtu, 0, LEAST_MTU, MOST_MTU),
                rate == null ? 0 : rate,
                rateUnit == null ? RateUnit.M : rateUnit,
                atomic == null ? AtomicKind.FETCH_AND_ADD : atomic);
    }

    private static int usualSize(PerfTest test) {
        return test == PerfTest.ATOMIC_LAT ? SIZE_ATOMIC : test.latency() ? SIZE_LAT : SIZE_BW;
    }

    private void checkAgainst(PerfTest test, QueuePairType kind) {
        refuse(all && size != null, "-a and -s exclude each other");
        refuse(iterations != null && duration != null, "-n and -D exclude each other");
        refuse(infinite && duration == null, "--run_infinitely needs -D, the time of a row");
        refuse(infinite && all, "--run_infinitely and -a exclude each other");
        refuse(duration != null && !(duration > 0), "-D takes more than 0 seconds");
        refuse(rate != null && !(rate > 0 && rate < Double.MAX_VALUE), "--rate_limit takes more than 0");
        refuse(rateUnit != null && rate == null, "--rate_units is the unit of --rate_limit");
        refuse(
                mtu != null && kind == QueuePairType.RC,
                "-m is for datagrams (-c UD, -c RD); TCP decides the MTU of connections");
        refuse(atomic != null && test != PerfTest.ATOMIC_LAT, "-A is for atomic_lat");
        if (test == PerfTest.ATOMIC_LAT) {
            refuse(kind != QueuePairType.RC, "atomic_lat is for connections (-c RC): datagrams have no Atomics");
            refuse(all || (size != null && size != SIZE_ATOMIC), "Atomics have 8 bytes: no -a, no other -s");
        }
        refuse(
                reads != null && !test.operation().fetches(),
                "-o is for Reads and Atomics; -t limits other messages in flight");
        if (test.latency()) {
            refuse(bidirectional, "-b is for bandwidth; a latency test always sends both ways");
            refuse(queuePairs != null && queuePairs > 1, "-q is for bandwidth; latency is that of one queue pair");
            refuse(txDepth != null && txDepth != 1, "-t is for bandwidth; a latency test has one message in flight");
            refuse(postList != null && postList != 1, "-l is for bandwidth; a latency test has one message in flight");
        }
        refuse(
                events && test == PerfTest.WRITE_LAT && kind == QueuePairType.RC,
                "-e is not possible with write_lat over RC: the target gets no completion for a Write, and has to"
                        + " poll");
    }

    /** {@return whether to sleep until something arrives} */
    boolean events() {
        return events;
    }

    /** {@return the queues of this end, checked} */
    Queues queues(PerfTest test) {
        int depth = inRange("-t", txDepth, test.latency() ? 1 : 128, 1, MOST_DEPTH);
        int list = inRange("-l", postList, 0, 1, MOST_DEPTH);
        int every = inRange("-Q", moderation, 0, 1, MOST_DEPTH);
        refuse(list > depth, "-l " + list + " is more than -t " + depth + ", the messages in flight");
        refuse(every > depth, "-Q " + every + " is more than -t " + depth + ": there would be no completion");
        return new Queues(
                depth,
                inRange("-r", rxDepth, 512, 1, MOST_DEPTH),
                list,
                every,
                inRange("-I", inline, 0, 0, MOST_INLINE),
                events);
    }

    private static int inRange(String flag, @Nullable Integer value, int usual, int least, int most) {
        return (int) inRange(flag, value == null ? null : Long.valueOf(value), usual, least, (long) most);
    }

    private static long inRange(String flag, @Nullable Long value, long usual, long least, long most) {
        return value == null ? usual : ToolFailure.inRange(flag, value, least, most);
    }

    private static void refuse(boolean wrong, String sentence) {
        if (wrong) {
            throw ToolFailure.usage(sentence);
        }
    }
}
