package dev.jwarp.benchmarks.pieces;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.ListStatistics;

/**
 * Prints jwarp's own part of a round trip with warm and with cold caches: the time with jwarp minus the time of
 * java.nio. The bound beside it is C that does the work of a Send, minus C that only moves the bytes. Each time is the
 * first quartile of short iterations, because other programs disturb many iterations, but none makes one faster.
 */
final class OwnPart {
    private static final int FORKS = 2;
    private static final int WARM_UPS = 2;
    private static final int ITERATIONS = 40;
    private static final TimeValue ITERATION = TimeValue.milliseconds(50);
    private static final int FIRST_QUARTILE = 25;
    private static final double MICROS = 1e-3;
    private static final Path PEER = Path.of("benchmarks/target/peers/peer");

    private final Collection<RunResult> results;

    private OwnPart(Collection<RunResult> results) {
        this.results = results;
    }

    /**
     * Measures, and prints the table.
     *
     * @param words options of JMH, such as {@code -rf json} for all figures
     */
    public static void main(String[] words) throws CommandLineOptionException, RunnerException, IOException {
        OwnPart all = new OwnPart(new Runner(new OptionsBuilder()
                        .parent(new CommandLineOptions(words))
                        .include(RoundTripBenchmark.class.getSimpleName())
                        .forks(FORKS)
                        .warmupIterations(WARM_UPS)
                        .measurementIterations(ITERATIONS)
                        .measurementTime(ITERATION)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run());
        System.out.println("microseconds of a round trip       plain          jwarp       own part");
        System.out.println("                                warm   cold    warm   cold    warm   cold");
        List.of("rc", "single", "handlers", "SocketChannel").forEach(contender -> all.print(contender, "nio"));
        List.of("ud", "rd").forEach(contender -> all.print(contender, "nioDatagrams"));
        if (!Files.isExecutable(PEER)) {
            System.out.println("C: NOT RUN: benchmarks/peers could not be built: is there a C compiler?");
            return;
        }
        for (String transport : List.of("tcp", "udp")) {
            print("C, " + transport, compiled(transport, "no"), compiled(transport, "yes"));
        }
    }

    private void print(String contender, String plain) {
        print(contender + " (" + plain + ")", times(plain), times(contender));
    }

    private static void print(String name, Times plain, Times own) {
        System.out.printf(
                Locale.ROOT,
                "%-28s %7.2f%7.2f %7.2f%7.2f %7.2f%7.2f%n",
                name,
                plain.warm,
                plain.cold,
                own.warm,
                own.cold,
                own.warm - plain.warm,
                own.cold - plain.cold);
    }

    /** Microseconds of a round trip. */
    private record Times(double warm, double cold) {}

    /** A cold operation is half of a round trip. */
    private Times times(String contender) {
        return new Times(time(RoundTripBenchmark.class, contender), 2 * time(ColdRoundTripBenchmark.class, contender));
    }

    private static Times compiled(String transport, String work) throws IOException {
        return new Times(compiled(transport, work, "warm"), 2 * compiled(transport, work, "cold"));
    }

    /** {@return microseconds of an operation in C} */
    private static double compiled(String transport, String work, String caches) throws IOException {
        double[] nanos = new double[FORKS * ITERATIONS];
        for (int fork = 0; fork < FORKS; fork++) {
            Process process = new ProcessBuilder(
                            PEER.toString(), "round-trip", "transport=" + transport, "work=" + work, "caches=" + caches)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (OutputStream in = process.getOutputStream()) {
                in.write((ITERATION.getTime() + "\n").repeat(ITERATIONS).getBytes(StandardCharsets.UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            // "ready", then a line for each iteration: operations, bytes, nanoseconds
            List<String> lines = output.lines().skip(1).toList();
            for (int i = 0; i < ITERATIONS; i++) {
                String[] figures = lines.get(i).split("\t", -1);
                nanos[fork * ITERATIONS + i] = Double.parseDouble(figures[2]) / Double.parseDouble(figures[0]);
            }
        }
        return MICROS * new ListStatistics(nanos).getPercentile(FIRST_QUARTILE);
    }

    /** {@return microseconds of an operation} */
    private double time(Class<?> form, String contender) {
        RunResult result = results.stream()
                .filter(each -> each.getParams().getBenchmark().startsWith(form.getName() + '.')
                        && each.getParams().getParam("contender").equals(contender))
                .findFirst()
                .orElseThrow();
        return MICROS * result.getPrimaryResult().getStatistics().getPercentile(FIRST_QUARTILE);
    }
}
