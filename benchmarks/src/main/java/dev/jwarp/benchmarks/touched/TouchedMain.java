package dev.jwarp.benchmarks.touched;

import dev.jwarp.benchmarks.pieces.MessageExchange;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;

/**
 * The Java part of {@code benchmarks/profile --footprint}: for one contender it prints the compiled methods, or, with
 * the agent, a row of the table.
 */
final class TouchedMain {
    private static final int LENGTH = 64;

    /** Messages of a pass, from each end in turn; a multiple of the distance of signaled messages. */
    private static final int MESSAGES = 64;

    private static final int WARM_UP = 64 * MESSAGES;
    /** Enough for C2. */
    private static final int UNTIL_COMPILED = 200_000;

    private static final int PASSES = 16;

    private static final List<String> COLUMNS =
            List.of("objects", "arrays", "locked", "clock", "calls", "methods", "bytecode", "JDK calls", "compiled");

    private final MessageExchange message;

    private TouchedMain(String contender) throws IOException {
        message = MessageExchange.of(contender, LENGTH);
    }

    /** The table's columns; each has one for the sending end, and one for the receiving end. */
    private static String header() {
        StringBuilder upper = new StringBuilder(String.format(Locale.ROOT, "%-14s", "64 B"));
        StringBuilder lower = new StringBuilder(String.format(Locale.ROOT, "%-14s", ""));
        for (String column : COLUMNS) {
            upper.append(String.format(Locale.ROOT, "%16s", column));
            lower.append(String.format(Locale.ROOT, "%8s%8s", "out", "in"));
        }
        return upper + System.lineSeparator() + lower;
    }

    /**
     * Prints to the standard output.
     *
     * @param arguments {@code header}; {@code code NAME}; or {@code count NAME CODE DETAILS}, where {@code CODE} is a
     *     file with the output of {@code code}, and {@code DETAILS} a file that gets objects, instructions and methods
     */
    public static void main(String[] arguments) throws IOException, JMException {
        FixedRandom.install();
        if (arguments[0].equals("header")) {
            System.out.println(header());
        } else if (arguments[0].equals("code")) {
            new TouchedMain(arguments[1]).exchange(UNTIL_COMPILED);
            System.out.print(CompiledCode.list());
        } else {
            Map<String, Long> code = CompiledCode.sizes(Files.readAllLines(Path.of(arguments[2])));
            List<Touched> ends = new TouchedMain(arguments[1]).record(arguments[1]);
            System.out.println(row(arguments[1], ends, code));
            try (PrintStream details = new PrintStream(arguments[3])) {
                details(details, arguments[1] + ", out", ends.get(0), code);
                details(details, arguments[1] + ", in", ends.get(1), code);
            }
        }
        System.out.flush();
        Runtime.getRuntime().halt(0); // contexts of sockets would wait for their peers, in this process
    }

    private void exchange(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int from = i & 1;
            message.send(from);
            while (!message.receive(1 - from)) {
                message.assist(from);
            }
        }
    }

    /** {@return the counts of the sending and of the receiving end} */
    private List<Touched> record(String name) throws IOException {
        exchange(WARM_UP);
        List<List<TouchRecorder.Message>> out = new ArrayList<>();
        List<List<TouchRecorder.Message>> in = new ArrayList<>();
        for (int i = 0; i < PASSES; i++) {
            exchange(MESSAGES);
            out.add(new ArrayList<>());
            in.add(new ArrayList<>());
            pass(out.get(i), in.get(i));
        }
        return List.of(typical(name + ", out", out), typical(name + ", in", in));
    }

    /**
     * {@return the sums of a typical pass} A timer or another thread may disturb a message. So of the first messages of
     * all passes the most frequent one counts, and so on: the position decides the direction and the signaled messages.
     * If that is no majority, the protocol itself depends on time, and the most frequent of all messages counts.
     */
    private static Touched typical(String name, List<List<TouchRecorder.Message>> passes) {
        List<TouchRecorder.Message> typical = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            int position = i;
            List<TouchRecorder.Message> equal = mostFrequent(passes.stream().map(pass -> pass.get(position)));
            if (2 * equal.size() <= PASSES) {
                System.err.println(name + ": counts depend on time; those of the most frequent message are shown");
                equal = mostFrequent(passes.stream().flatMap(List::stream));
                return Touched.sum(Collections.nCopies(MESSAGES, equal.get(0)));
            }
            typical.add(equal.get(0));
        }
        return Touched.sum(typical);
    }

    /** {@return the largest group of messages with equal counts} */
    private static List<TouchRecorder.Message> mostFrequent(Stream<TouchRecorder.Message> messages) {
        return Collections.max(
                messages.collect(Collectors.groupingBy(one -> Touched.sum(List.of(one))))
                        .values(),
                Comparator.comparingInt(List::size));
    }

    /** One pass. A call that receives nothing is not recorded: how many there are is a matter of time. */
    private void pass(List<TouchRecorder.Message> out, List<TouchRecorder.Message> in) throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            int from = i & 1;
            TouchRecorder.begin();
            message.send(from);
            out.add(TouchRecorder.end());
            in.add(receiveRecorded(1 - from));
        }
    }

    private TouchRecorder.Message receiveRecorded(int end) throws IOException {
        while (true) {
            TouchRecorder.begin();
            boolean came = message.receive(end);
            TouchRecorder.Message recorded = TouchRecorder.end();
            if (came) {
                return recorded;
            }
            message.assist(1 - end);
        }
    }

    private static double mean(long sum) {
        return (double) sum / MESSAGES;
    }

    private static String row(String name, List<Touched> ends, Map<String, Long> code) {
        List<ToLongFunction<Touched>> values = List.of(
                end -> end.objects(false),
                end -> end.objects(true),
                end -> end.executions(kind -> kind.locked),
                end -> end.executions(kind -> kind == Site.Kind.CLOCK),
                end -> end.executions(kind -> kind == Site.Kind.METHOD),
                end -> end.methods(method -> 1),
                end -> end.methods(Site::size),
                end -> end.executions(kind -> kind.call),
                end -> end.methods(method -> code.getOrDefault(method.what(), 0L)));
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-14s", name));
        for (ToLongFunction<Touched> value : values) {
            for (Touched end : ends) {
                double mean = mean(value.applyAsLong(end));
                row.append(String.format(Locale.ROOT, mean < 1000 ? "%8.1f" : "%8.0f", mean));
            }
        }
        return row.toString();
    }

    private static void details(PrintStream to, String title, Touched end, Map<String, Long> code) {
        list(to, title + ": objects by class", end.objects());
        list(
                to,
                title + ": locked instructions",
                sites(end, kind -> kind.locked, site -> site.what() + " in " + site.where()));
        list(
                to,
                title + ": reads of the clock",
                sites(end, kind -> kind == Site.Kind.CLOCK, site -> "in " + site.where()));
        list(
                to,
                title + ": calls by method, with bytes of bytecode and of C2's code",
                sites(
                        end,
                        kind -> kind == Site.Kind.METHOD,
                        site -> site.what() + "  " + site.size() + " " + code.getOrDefault(site.what(), 0L)));
        list(to, title + ": calls of the JDK and of libraries", sites(end, kind -> kind.call, Site::what));
    }

    private static Map<String, Integer> sites(Touched end, Predicate<Site.Kind> kinds, Function<Site, String> name) {
        Map<String, Integer> sums = new HashMap<>();
        end.executed().forEach((site, count) -> {
            if (kinds.test(site.kind())) {
                sums.merge(name.apply(site), count, Integer::sum);
            }
        });
        return sums;
    }

    private static void list(PrintStream to, String title, Map<String, Integer> sums) {
        to.println();
        to.println(title);
        sums.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(one -> to.printf(Locale.ROOT, "%8.2f  %s%n", mean(one.getValue()), one.getKey()));
    }
}
