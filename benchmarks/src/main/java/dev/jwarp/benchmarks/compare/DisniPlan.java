package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Bound.atLeast;
import static dev.jwarp.benchmarks.compare.Bound.atMost;
import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.List;

/**
 * The goals D1 to D3: a program with DiSNI's API on jwarp compared with the same program in jwarp's verbs, and remote
 * procedure calls. Each end is a process.
 */
final class DisniPlan {
    private DisniPlan() {}

    static List<Workload> workloads() {
        return List.of(
                pair("D1", "Send 64 B, two cores", "wait=spin", false, Metric.P50, atMost(1.1)),
                pair("D1", "Send 64 B, one core", "wait=block", true, Metric.P50, atMost(1.1)),
                pair("D2", "Write 64 KiB, one core", "wait=block stream=yes", true, Metric.RATE, atLeast(0.95)),
                calls());
    }

    /** Round trips, or a stream. The ends wait for events on one core, and spin on two cores. */
    private static Workload pair(String goal, String what, String words, boolean oneCore, Metric metric, Bound bound) {
        String mine = what + ", DiSNI's API";
        String verbs = what + ", verbs";
        return new Workload(
                "DiSNI's API and the verbs: " + what,
                oneCore,
                Length.USUAL,
                List.of(
                        new Entry(verbs, "java plain-verbs api=verbs " + words),
                        new Entry(mine, "java plain-verbs api=disni " + words)),
                List.of(ratio(goal, mine + " / verbs", mine, verbs, metric, bound), SocketPlan.allocatesNothing(mine)));
    }

    /** DaRPC's client spins for its answer; its server spins, too, or waits for events. */
    private static Workload calls() {
        String polling = "DaRPC on jwarp, server polls";
        String waiting = "DaRPC on jwarp, server waits";
        String threaded = "DaRPC on jwarp, server waits, threads of jwarp";
        String grpc = "gRPC over Netty";
        String tcp = "JDK TCP, blocking, no RPC";
        String spinning = "Java NIO, spinning, no RPC";
        return new Workload(
                "Remote procedure calls of 64 B, one at a time, two cores",
                false,
                Length.USUAL,
                List.of(
                        new Entry(grpc, "java calls with=grpc"),
                        new Entry(polling, "java calls with=darpc polling=yes"),
                        new Entry(waiting, "java calls with=darpc"),
                        new Entry(threaded, "java calls with=darpc jwarp.progress=threaded"),
                        new Entry(tcp, "java socket-echo provider=jdk"),
                        new Entry(spinning, "java nio-echo wait=spin")),
                List.of(
                        ratio("D3", polling + " / gRPC", polling, grpc, Metric.P50, atMost(0.5)),
                        ratio("D3", waiting + " / gRPC", waiting, grpc, Metric.P50, Bound.REPORT),
                        ratio("D3", threaded + " / gRPC", threaded, grpc, Metric.P50, Bound.REPORT),
                        ratio("D3", polling + " / Java NIO", polling, spinning, Metric.P50, Bound.REPORT),
                        ratio("D3", grpc + " / JDK TCP", grpc, tcp, Metric.P50, Bound.REPORT)));
    }
}
