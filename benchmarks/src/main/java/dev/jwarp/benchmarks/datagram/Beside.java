package dev.jwarp.benchmarks.datagram;

import dev.jwarp.benchmarks.datagram.Setup.Operation;
import dev.jwarp.benchmarks.datagram.Setup.Service;
import dev.jwarp.benchmarks.datagram.Setup.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Measures UD beside RC, both over loopback with CRC32C, each contender in a JVM of its own, in turn: A B C A B C. Prints
 * medians, percentiles and, round by round, ratios to RC, beside those that were published. Only ratios mean something on a
 * shared machine.
 *
 * <pre>Beside [--rounds N] [--millis N] [--cores 1|2] [--patience SECONDS] [--sizes N,N] [--only REGEX]</pre>
 */
final class Beside {
    private static final List<Integer> LATENCY_SIZES =
            List.of(1, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20);
    private static final List<Integer> BANDWIDTH_SIZES =
            List.of(1, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 512 << 10, 1 << 20);
    private static final List<Integer> FEW_SIZES = List.of(64, 1 << 10, 64 << 10, 512 << 10);
    /** Warm-up of each size, twice: enough for the compilers. */
    private static final int WARM_MILLIS = 400;

    private int rounds = 5;
    private int millis = 200;
    private int cores = 2;
    private List<Integer> sizes = List.of();
    private Pattern only = Pattern.compile("");

    /** Nanoseconds left to repeat rounds that other processes disturbed. */
    private long patience = TimeUnit.SECONDS.toNanos(120);
    /** Rounds disturbed by other processes that were repeated, and that had to be kept. */
    private int repeated;

    private int kept;

    private Beside() {}

    public static void main(String[] arguments) throws IOException {
        Beside beside = new Beside();
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rounds" -> beside.rounds = number(value);
                case "--millis" -> beside.millis = number(value);
                case "--cores" -> beside.cores = number(value);
                case "--patience" -> beside.patience = TimeUnit.SECONDS.toNanos(number(value));
                case "--sizes" ->
                    beside.sizes = Pattern.compile(",")
                            .splitAsStream(value)
                            .map(Beside::number)
                            .toList();
                case "--only" -> beside.only = Pattern.compile(value);
                default -> usage("unknown option " + arguments[i]);
            }
        }
        if (beside.rounds < 1 || beside.millis < 1 || beside.cores < 1 || beside.cores > 2 || beside.patience < 0) {
            usage("--rounds and --millis take a number from 1 on, --cores 1 or 2, --patience seconds");
        }
        if (beside.sizes.stream().anyMatch(size -> size < 1 || size > End.LONGEST)) {
            usage("--sizes takes octets, 1 to " + End.LONGEST + ", with commas");
        }
        beside.run();
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    }

    private static void usage(String sentence) {
        System.err.println("datagram: " + sentence);
        System.exit(2);
    }

    private void run() throws IOException {
        System.out.printf(
                Locale.ROOT,
                "UD beside RC: %d rounds of %d ms for each size, after warm-up; both ends in one JVM, over loopback, with CRC32C,"
                        + " %s; Java %s%n",
                rounds,
                millis,
                cores == 1
                        ? "on one core, sleeping (RC in a read, UD in a select)"
                        : "on two cores, spinning unless threaded",
                Runtime.version().feature());
        Waiting inline = cores == 1 ? Waiting.BLOCK : Waiting.SPIN;
        for (boolean latency : new boolean[] {true, false}) {
            for (Operation operation : Operation.values()) {
                List<Integer> usual = latency ? LATENCY_SIZES : BANDWIDTH_SIZES;
                measure(operation, latency, inline, sizes.isEmpty() ? usual : sizes);
            }
        }
        for (boolean latency : new boolean[] {true, false}) {
            for (Operation operation : Operation.values()) {
                measure(operation, latency, Waiting.THREADED, sizes.isEmpty() ? FEW_SIZES : sizes);
            }
        }
        System.out.printf("%nRounds disturbed by other processes: %d repeated, %d kept.%n", repeated, kept);
    }

    private static List<Setup> contenders(Operation operation, boolean latency, Waiting waiting) {
        List<Setup> all = new ArrayList<>();
        boolean write = latency && operation == Operation.WRITE;
        if (write && waiting == Waiting.SPIN) {
            all.add(new Setup(Service.RC, 0, waiting, operation, true, false));
        }
        all.add(new Setup(Service.RC, 0, waiting, operation, latency, write));
        all.add(new Setup(Service.UD, Setup.ETHERNET, waiting, operation, latency, false));
        all.add(new Setup(Service.UD, Setup.LARGEST, waiting, operation, latency, false));
        return all;
    }

    private void measure(Operation operation, boolean latency, Waiting waiting, List<Integer> octets)
            throws IOException {
        String title = String.join("-", operation.name(), latency ? "latency" : "bandwidth", waiting.name());
        if (!only.matcher(title.toLowerCase(Locale.ROOT)).find()) {
            return;
        }
        List<Child> children = new ArrayList<>();
        try {
            List<Setup> contenders = contenders(operation, latency, waiting);
            for (Setup contender : contenders) {
                children.add(new Child(contender, cores == 1));
            }
            Table table = new Table(operation, latency);
            table.head();
            for (int warm = 0; warm < 2; warm++) {
                for (Child child : children) {
                    for (int size : octets) {
                        child.round(size, Math.min(WARM_MILLIS, 2 * millis));
                    }
                }
            }
            for (int size : octets) {
                table.rows(size, contenders, rounds(children, size));
            }
        } finally {
            children.forEach(Child::close);
        }
    }

    /** Rounds in which another process used the machine are repeated, as long as there is patience for it. */
    private List<List<Figures>> rounds(List<Child> children, int octets) throws IOException {
        List<List<Figures>> results = new ArrayList<>();
        children.forEach(child -> results.add(new ArrayList<>()));
        for (int done = 0; done < rounds; ) {
            long start = System.nanoTime();
            List<Figures> round = new ArrayList<>();
            for (Child child : children) {
                round.add(child.round(octets, millis));
            }
            boolean disturbed = round.stream().anyMatch(Figures::disturbed);
            if (disturbed && patience > 0) {
                patience -= System.nanoTime() - start;
                repeated++;
                continue;
            }
            kept += disturbed ? 1 : 0;
            for (int i = 0; i < round.size(); i++) {
                results.get(i).add(round.get(i));
            }
            done++;
        }
        return results;
    }
}
