package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/**
 * Other system interfaces compared with the plain ones. These comparisons have no goals: they show why jwarp uses the
 * interfaces that it uses.
 */
final class Tried {
    /** The name for {@code --only}. */
    static final String NAME = "TRIED";

    private Tried() {}

    static List<Workload> workloads() {
        return List.of(roundTrips(true), roundTrips(false));
    }

    private static Workload roundTrips(boolean oneCore) {
        String wait = oneCore ? " wait=block" : " wait=spin";
        String how = oneCore ? ", blocking" : ", spinning";
        String c = "C" + how;
        String nio = "Java NIO" + how;
        String ffm = "Java FFM" + how;
        List<Entry> entries = new ArrayList<>(List.of(
                new Entry(c, "c tcp-echo" + wait),
                new Entry("C, io_uring" + how, "c uring-echo" + wait),
                new Entry("C, io_uring, deferred" + how, "c uring-echo taskrun=deferred" + wait),
                new Entry("C, SO_BUSY_POLL" + how, "c tcp-echo busy-poll=50" + wait),
                new Entry(nio, "java22 nio-echo" + wait),
                new Entry(ffm, "java22 foreign-echo calls=plain" + wait)));
        List<Comparison> all = new ArrayList<>(List.of(
                beside("C, io_uring" + how, c),
                beside("C, io_uring, deferred" + how, c),
                beside("C, SO_BUSY_POLL" + how, c),
                beside(nio, c),
                beside(ffm, nio)));
        if (!oneCore) { // a critical call must not block
            entries.add(new Entry("Java FFM, critical" + how, "java22 foreign-echo calls=critical" + wait));
            all.add(beside("Java FFM, critical" + how, nio));
        }
        return new Workload(
                "Ways into the kernel: round trips of 64 B on " + (oneCore ? "one core" : "two cores") + how,
                oneCore,
                Length.USUAL,
                entries,
                all);
    }

    private static Comparison beside(String ours, String theirs) {
        return ratio(NAME, ours + " / " + theirs, ours, theirs, Metric.P50, Bound.REPORT);
    }
}
