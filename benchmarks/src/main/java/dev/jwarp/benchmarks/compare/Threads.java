package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections over 1, 2 and 4 threads per end: the gain of a further thread, and its cost if there are fewer
 * cores.
 */
final class Threads {
    /** The name for {@code --only}. */
    static final String NAME = "THREADS";

    private static final int[] COUNTS = {1, 2, 4};
    private static final int CONNECTIONS = 256;

    private Threads() {}

    static List<Workload> workloads() {
        return List.of(workload(false), workload(true));
    }

    private static Workload workload(boolean oneCore) {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (String way : List.of("loops", "contexts")) {
            for (int count : COUNTS) {
                entries.add(new Entry(
                        name(way, count, oneCore),
                        "java jwarp-threads way=" + way + " threads=" + count + " connections=" + CONNECTIONS
                                + " size=1024 jwarp.progress.wait=select"));
            }
            all.add(step(way, 2, 1, oneCore));
            all.add(step(way, 4, 2, oneCore));
        }
        return new Workload(
                CONNECTIONS + " connections, 1 KiB under way on each, over several threads an end, "
                        + (oneCore ? "one core" : "all cores"),
                oneCore,
                Length.USUAL,
                entries,
                all);
    }

    private static Comparison step(String way, int more, int fewer, boolean oneCore) {
        String mine = name(way, more, oneCore);
        String other = name(way, fewer, oneCore);
        return ratio(NAME, mine + " / " + fewer, mine, other, Metric.MESSAGES, Bound.REPORT);
    }

    private static String name(String way, int count, boolean oneCore) {
        return "Sends, " + count + " " + way + (oneCore ? ", one core" : "");
    }
}
