package dev.jwarp.benchmarks.pieces;

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

/**
 * Prints jwarp's own part of a round trip with warm and with cold caches: the time with jwarp minus the time of
 * java.nio. Each time is the first quartile of short iterations, because other programs disturb many iterations, but
 * none makes one faster.
 */
final class OwnPart {
    private static final int FORKS = 2;
    private static final int WARM_UPS = 2;
    private static final int ITERATIONS = 40;
    private static final TimeValue ITERATION = TimeValue.milliseconds(50);
    private static final int FIRST_QUARTILE = 25;
    private static final double MICROS = 1e-3;

    private final Collection<RunResult> results;

    private OwnPart(Collection<RunResult> results) {
        this.results = results;
    }

    /**
     * Measures, and prints the table.
     *
     * @param words options of JMH, such as {@code -rf json} for all figures
     */
    public static void main(String[] words) throws CommandLineOptionException, RunnerException {
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
    }

    private void print(String contender, String plain) {
        double warmPlain = time(RoundTripBenchmark.class, plain);
        double coldPlain = 2 * time(ColdRoundTripBenchmark.class, plain);
        double warm = time(RoundTripBenchmark.class, contender);
        double cold = 2 * time(ColdRoundTripBenchmark.class, contender);
        System.out.printf(
                Locale.ROOT,
                "%-28s %7.2f%7.2f %7.2f%7.2f %7.2f%7.2f%n",
                contender + " (" + plain + ")",
                warmPlain,
                coldPlain,
                warm,
                cold,
                warm - warmPlain,
                cold - coldPlain);
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
