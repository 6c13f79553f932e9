package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.Arrays;
import java.util.List;

/**
 * Datagrams with copied payload compared with payload that the system call gathers. These comparisons have no goals:
 * they show why jwarp copies.
 */
final class Gathering {
    /** The name for {@code --only}. */
    static final String NAME = "GATHER";

    /**
     * Bytes of a message, and of a datagram: Ethernet, jumbo frames, and the longest datagram, which loopback accepts.
     */
    private static final int[][] SIZES = {{1408, 1472}, {8192, 1472}, {63_000, 1472}, {8192, 8972}, {65_400, 65_507}};

    private Gathering() {}

    static List<Workload> workloads() {
        return Arrays.stream(SIZES).map(size -> workload(size[0], size[1])).toList();
    }

    private static Workload workload(int message, int datagram) {
        String what = message + " B in datagrams of " + datagram + " B";
        String rest = " message=" + message + " datagram=" + datagram;
        String copied = "copied: " + what;
        String gathered = "gathered: " + what;
        String netty = "gathered by Netty: " + what;
        return new Workload(
                "Payload copied or gathered, processor time of the sender: " + what,
                false,
                Length.USUAL,
                List.of(
                        new Entry(copied, "java composed-datagrams way=copy" + rest),
                        new Entry(gathered, "java composed-datagrams way=gather" + rest),
                        new Entry(netty, "java composed-datagrams way=iovec" + rest)),
                List.of(
                        ratio(NAME, gathered + " / copied", gathered, copied, Metric.COST, Bound.REPORT),
                        ratio(NAME, netty + " / copied", netty, copied, Metric.COST, Bound.REPORT)));
    }
}
