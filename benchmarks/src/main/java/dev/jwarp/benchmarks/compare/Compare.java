package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs jwarp and other contenders in turn, A B C A B C, each in a process of its own, and judges the ratios by the
 * goals P1 to P19, S1 to S9, D1 to D3 and M1 to M6. On a shared machine only ratios within one run are meaningful.
 *
 * <pre>Compare [--quick] [--only P5,P6] [--page] [--keep-disturbed] [--out DIR]</pre>
 */
final class Compare {
    private static final int GOALS = 19;
    private static final int GOALS_OF_SOCKETS = 9;
    private static final int GOALS_OF_DISNI = 3;
    private static final int GOALS_OF_MESSAGES = 6;
    static final List<String> ALL = Stream.of(
                    goals("P", GOALS),
                    goals("S", GOALS_OF_SOCKETS),
                    goals("D", GOALS_OF_DISNI),
                    goals("M", GOALS_OF_MESSAGES))
            .flatMap(goals -> goals)
            .toList();
    /** Time for additional rounds in place of disturbed ones. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(6);

    private static final long QUICK_PATIENCE = TimeUnit.SECONDS.toNanos(5);

    private boolean quick;
    private boolean page;
    private boolean keepDisturbed;
    private Set<String> only = new LinkedHashSet<>(ALL);
    private Path out = Path.of("benchmarks", "target", "compare");
    private @Nullable Path before;
    private Path peers = Path.of("benchmarks", "target", "peers");

    private Compare() {}

    public static void main(String[] arguments) throws IOException {
        Compare compare = new Compare();
        compare.read(arguments);
        compare.run();
    }

    private void read(String[] arguments) {
        boolean chosen = false;
        boolean wanted = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> quick = true;
                case "--page" -> wanted = true;
                case "--keep-disturbed" -> keepDisturbed = true;
                case "--only" -> {
                    only = goals(value(arguments, ++i));
                    chosen = true;
                }
                case "--out" -> out = Path.of(value(arguments, ++i));
                case "--before" -> before = Path.of(value(arguments, ++i));
                case "--peers" -> peers = Path.of(value(arguments, ++i));
                default -> usage("unknown option " + arguments[i]);
            }
        }
        page = wanted || !(quick || chosen || before != null);
    }

    private static String value(String[] arguments, int at) {
        if (at >= arguments.length) {
            usage(arguments[at - 1] + " needs a value");
        }
        return arguments[at];
    }

    private static Stream<String> goals(String letter, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> letter + i);
    }

    private static Set<String> goals(String text) {
        Set<String> goals =
                new LinkedHashSet<>(Arrays.asList(text.toUpperCase(Locale.ROOT).split(",", -1)));
        for (String goal : goals) {
            if (!ALL.contains(goal)
                    && !goal.equals(Tried.NAME)
                    && !goal.equals(Gathering.NAME)
                    && !goal.equals(Beside.NAME)
                    && !goal.equals(Threads.NAME)
                    && !goal.equals(SocketTables.NAME)) {
                usage("--only takes goals P1 to P" + GOALS + ", S1 to S" + GOALS_OF_SOCKETS + ", D1 to D"
                        + GOALS_OF_DISNI + " and M1 to M" + GOALS_OF_MESSAGES + " with commas, "
                        + Tried.NAME + ", " + Gathering.NAME + ", " + Beside.NAME + ", " + Threads.NAME + " or "
                        + SocketTables.NAME + ", not " + goal);
            }
        }
        return goals;
    }

    private static void usage(String sentence) {
        System.err.println("compare: " + sentence);
        System.exit(2);
    }

    private void run() throws IOException {
        long start = System.nanoTime();
        System.out.println(Machine.describe());
        if (quick) {
            System.out.println("Quick: short samples, P13 with seconds instead of a minute. For a first look only.");
        }
        CompareRounds rounds = new CompareRounds(
                new Players(peers, before), quick, keepDisturbed, quick ? QUICK_PATIENCE : PATIENCE, System.out);
        Map<Workload, Samples> samples = new LinkedHashMap<>();
        List<Outcome> outcomes = new ArrayList<>();
        List<Workload> workloads = new ArrayList<>(Plan.workloads(quick));
        workloads.addAll(SocketPlan.workloads());
        workloads.addAll(DisniPlan.workloads());
        workloads.addAll(MessagePlan.workloads());
        workloads.addAll(Tried.workloads());
        workloads.addAll(Gathering.workloads());
        workloads.addAll(Beside.workloads(quick));
        workloads.addAll(Threads.workloads());
        workloads.addAll(SocketTables.workloads());
        if (before != null) {
            workloads.replaceAll(workload -> workload.withBefore(only));
        }
        for (Workload workload : workloads) {
            List<Comparison> wanted = workload.comparisons().stream()
                    .filter(comparison -> only.contains(comparison.goal()))
                    .toList();
            if (!wanted.isEmpty()) {
                long begun = System.nanoTime();
                System.out.println("\n" + workload.title());
                Samples came = rounds.run(workload, wanted);
                samples.put(workload, came);
                wanted.forEach(comparison -> outcomes.add(came.judge(comparison)));
                Report.contenders(System.out, workload, came, wanted);
                System.out.printf(
                        Locale.ROOT,
                        "%d turns left out because other processes disturbed them; %.0f s%n",
                        came.leftOut(),
                        (System.nanoTime() - begun) / 1e9);
            }
        }
        if (only.contains("P15")) {
            System.out.println("\nMemory of connections and peers");
            outcomes.addAll(MemoryGoal.measure(quick));
        }
        Report report = new Report(outcomes, samples, quick);
        System.out.println();
        report.goals(System.out);
        Files.createDirectories(out);
        report.write(out);
        System.out.printf(Locale.ROOT, "%nFigures: %s. Duration: %.0f s.%n", out, (System.nanoTime() - start) / 1e9);
        if (page) {
            Page.rewrite(Path.of("docs"), report);
            System.out.println("Rewritten: docs/measurements.md");
        }
    }
}
