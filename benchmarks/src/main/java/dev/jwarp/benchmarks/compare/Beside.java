package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/**
 * UD compared with RC, for each operation and size, and streams of RD. These comparisons have no goals: they show the
 * cost of datagrams, beside the published figures of the one earlier prototype of datagram-iWARP: latencies of small
 * messages, and bandwidths at 1 KiB and 512 KiB.
 */
final class Beside {
    /** The name for {@code --only}. */
    static final String NAME = "BESIDE";

    private static final List<Integer> SIZES = List.of(1, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 512 << 10, 1 << 20);
    private static final List<Integer> FEW_SIZES = List.of(64, 1 << 10, 64 << 10, 512 << 10);

    private static final int[] MTUS_OF_RELIABLE = {1500, 65_535};

    private static final int SMALL = 64;
    private static final int SHORT = 1 << 10;
    private static final int LONG = 512 << 10;

    private Beside() {}

    /** @param quick whether to measure fewer sizes */
    static List<Workload> workloads(boolean quick) {
        List<Workload> all = new ArrayList<>();
        for (String wait : List.of("spin", "threaded", "block")) {
            for (boolean latency : new boolean[] {true, false}) {
                for (String operation : List.of("send", "write", "read")) {
                    for (int size : quick || !wait.equals("spin") ? FEW_SIZES : SIZES) {
                        all.add(workload(operation, latency, wait, size));
                    }
                }
            }
        }
        return all;
    }

    private static Workload workload(String operation, boolean latency, String wait, int size) {
        String rest = " wait=" + wait + " op=" + operation + " size=" + size + " latency=" + (latency ? "yes" : "no");
        String what = (latency ? "Round trip, " : "Stream, ") + operation + " " + size + " B, " + wait;
        String rc = "RC: " + what;
        List<Entry> entries = new ArrayList<>(List.of(new Entry(rc, "java jwarp-datagrams service=rc" + rest)));
        List<Comparison> comparisons = new ArrayList<>();
        Metric metric = latency ? Metric.P50 : Metric.RATE;
        double published = published(operation, latency, size);
        Bound bound = Double.isNaN(published) ? Bound.REPORT : Bound.published(published);
        if (latency && operation.equals("write") && wait.equals("spin")) {
            String noted = "RC, Send behind: " + what;
            entries.add(new Entry(noted, "java jwarp-datagrams service=rc told=send" + rest));
            comparisons.add(ratio(NAME, noted + " / RC, memory polled", noted, rc, metric, Bound.REPORT));
        }
        for (int mtu : new int[] {1500, 9000, 65_535}) {
            String ud = "UD, MTU " + mtu + ": " + what;
            entries.add(new Entry(ud, "java jwarp-datagrams service=ud mtu=" + mtu + rest));
            comparisons.add(ratio(NAME, ud + " / RC", ud, rc, metric, bound));
        }
        for (int mtu : !latency && !operation.equals("read") && size >= SHORT ? MTUS_OF_RELIABLE : new int[0]) {
            String rd = "RD, MTU " + mtu + ": " + what;
            entries.add(new Entry(rd, "java jwarp-datagrams service=rd mtu=" + mtu + rest));
            comparisons.add(ratio(NAME, rd + " / RC", rd, rc, metric, Bound.REPORT));
        }
        return new Workload("UD beside RC: " + what, wait.equals("block"), Length.BESIDE, entries, comparisons);
    }

    /** {@return the published ratio for such messages; NaN if there is none} */
    private static double published(String operation, boolean latency, int size) {
        if (latency) {
            return size > SMALL
                    ? Double.NaN
                    : switch (operation) {
                        case "send" -> 0.82;
                        case "write" -> 0.76;
                        default -> 0.80;
                    };
        }
        return switch (operation) {
            case "send" -> size == SHORT ? 2.9 : Double.NaN;
            case "write" -> size == SHORT ? 2.9 : size == LONG ? 3.5 : Double.NaN;
            default -> size == LONG ? 1.76 : Double.NaN;
        };
    }
}
