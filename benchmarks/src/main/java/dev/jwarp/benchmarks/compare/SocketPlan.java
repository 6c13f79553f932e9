package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Bound.atLeast;
import static dev.jwarp.benchmarks.compare.Bound.atMost;
import static dev.jwarp.benchmarks.compare.Comparison.figure;
import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/**
 * The goals S1 to S9: a program for java.nio or Netty on jwarp's sockets, compared with the same program over TCP or
 * UDP. The ends of java.nio are two processes, like those of real programs; they share one core.
 */
final class SocketPlan {
    private static final String ECHO = "java socket-echo provider=";
    private static final String STREAM = "java socket-stream stream=yes provider=";

    private SocketPlan() {}

    static List<Workload> workloads() {
        return List.of(
                echo("S1", "block", 1),
                echo("S2", "select", 1),
                netty(),
                streams(),
                nettyStreams(),
                echo("S7", "select", 1_000),
                datagrams(),
                datagramStreams(),
                largeStreams());
    }

    private static Workload echo(String goal, String wait, int channels) {
        String rest = " wait=" + wait + " connections=" + channels;
        String what = wait.equals("block")
                ? "blocking"
                : channels == 1 ? "a selector" : "a selector of " + channels + " channels, each in turn";
        String mine = "Sockets, " + what;
        String theirs = "JDK TCP, " + what;
        List<Entry> entries = new ArrayList<>(
                List.of(new Entry(theirs, ECHO + "jdk" + rest), new Entry(mine, ECHO + "jwarp" + rest)));
        List<Comparison> all = new ArrayList<>(List.of(
                ratio(goal, mine + " / JDK TCP", mine, theirs, Metric.P50, atMost(1.25)),
                channels == 1
                        ? allocatesNothing(mine)
                        : figure(
                                "P12",
                                mine,
                                mine,
                                Metric.ALLOCATED,
                                Bound.REPORT))); // the JDK's selector allocates an Integer
        if (goal.equals("S1")) {
            String verbs = "Send, blocking read, verbs";
            entries.add(new Entry(verbs, "java jwarp-pingpong wait=block"));
            String credits = mine + ", credits";
            entries.add(new Entry(credits, ECHO + "jwarp protocol=credits" + rest));
            all.add(ratio(goal, credits + " / JDK TCP", credits, theirs, Metric.P50, Bound.REPORT));
            all.add(allocatesNothing(credits));
            all.add(ratio("S6", mine + " / verbs", mine, verbs, Metric.P50, atMost(1.15)));
        }
        return new Workload(
                "Round trips of 64 B between programs for java.nio, " + what, true, Length.USUAL, entries, all);
    }

    private static Workload netty() {
        String mine = "Netty on jwarp";
        String theirs = "Netty, epoll";
        return new Workload(
                "Round trips of 64 B between programs for Netty",
                true,
                Length.USUAL,
                List.of(new Entry(theirs, "java netty-echo"), new Entry(mine, "java netty-echo transport=jwarp")),
                List.of(
                        ratio("S3", mine + " / epoll", mine, theirs, Metric.P50, atMost(1.2)),
                        allocates(mine),
                        allocates(theirs)));
    }

    private static Workload datagrams() {
        String mine = "Datagrams on jwarp";
        String theirs = "JDK UDP";
        return new Workload(
                "Round trips of 64 B between programs for java.nio's datagrams, blocking",
                true,
                Length.USUAL,
                List.of(
                        new Entry(theirs, "java datagram-echo provider=jdk size=64"),
                        new Entry(mine, "java datagram-echo provider=jwarp size=64")),
                List.of(
                        ratio("S8", mine + " / JDK UDP", mine, theirs, Metric.P50, atMost(1.25)),
                        allocatesNothing(mine)));
    }

    /** Netty itself allocates: the figures show the allocation of jwarp's channels, and of Netty's own. */
    private static Comparison allocates(String contender) {
        return figure("P12", contender, contender, Metric.ALLOCATED, Bound.REPORT);
    }

    static Comparison allocatesNothing(String mine) {
        return figure("P12", mine, mine, Metric.ALLOCATED, atMost(0));
    }

    private static Workload datagramStreams() {
        String mine = "Datagrams on jwarp, 1,400 B";
        String theirs = "JDK UDP, 1,400 B";
        return new Workload(
                "Datagrams of 1,400 B one way between programs for java.nio, blocking",
                true,
                Length.USUAL,
                List.of(
                        new Entry(theirs, "java datagram-stream stream=yes provider=jdk size=1400"),
                        new Entry(mine, "java datagram-stream stream=yes provider=jwarp size=1400")),
                List.of(
                        ratio("S8", mine + " / JDK UDP", mine, theirs, Metric.RATE, atLeast(1)),
                        allocatesNothing(mine)));
    }

    private static Workload streams() {
        String mine = "Sockets, 64 KiB";
        String theirs = "JDK TCP, 64 KiB";
        String checked = "JDK TCP + CRC, 64 KiB";
        String verbs = "Write 64 KiB, verbs";
        String credits = mine + ", credits";
        String larger = "Sockets, 64 KiB, buffers of 1 MiB";
        return new Workload(
                "Streams of 64 KiB between programs for java.nio, blocking",
                true,
                Length.USUAL,
                List.of(
                        new Entry(theirs, STREAM + "jdk"),
                        new Entry(checked, STREAM + "jdk crc=on"),
                        new Entry(mine, STREAM + "jwarp"),
                        new Entry(larger, STREAM + "jwarp buffer=1048576"),
                        new Entry(credits, STREAM + "jwarp protocol=credits"),
                        new Entry(verbs, "java jwarp-stream wait=block op=write")),
                List.of(
                        ratio("S4", mine + " / JDK TCP", mine, theirs, Metric.RATE, atLeast(1)),
                        ratio("S4", mine + " / JDK TCP + CRC in the program", mine, checked, Metric.RATE, Bound.REPORT),
                        ratio("S4", credits + " / JDK TCP", credits, theirs, Metric.RATE, Bound.REPORT),
                        ratio("S4", larger + " / JDK TCP", larger, theirs, Metric.RATE, Bound.REPORT),
                        ratio("S6", mine + " / verbs", mine, verbs, Metric.RATE, atLeast(0.9)),
                        allocatesNothing(mine),
                        allocatesNothing(credits)));
    }

    private static Workload largeStreams() {
        String mine = "Sockets, 1 MiB, credits, zero-copy";
        String credits = "Sockets, 1 MiB, credits";
        String theirs = "JDK TCP, 1 MiB";
        String size = " size=1048576";
        return new Workload(
                "Streams of 1 MiB between programs for java.nio, blocking",
                true,
                Length.USUAL,
                List.of(
                        new Entry(theirs, STREAM + "jdk" + size),
                        new Entry(credits, STREAM + "jwarp protocol=credits" + size),
                        new Entry(mine, STREAM + "jwarp protocol=credits zerocopy=262144" + size)),
                List.of(
                        ratio("S9", mine + " / credits", mine, credits, Metric.RATE, atLeast(1)),
                        ratio("S9", mine + " / JDK TCP", mine, theirs, Metric.RATE, Bound.REPORT)));
    }

    private static Workload nettyStreams() {
        String mine = "Netty on jwarp, 64 KiB";
        String theirs = "Netty, epoll + CRC, 64 KiB";
        String plain = "Netty, epoll, 64 KiB";
        String inPlace = mine + ", buffers of jwarp's allocator";
        return new Workload(
                "Streams of 64 KiB between programs for Netty",
                true,
                Length.USUAL,
                List.of(
                        new Entry(plain, "java netty-stream"),
                        new Entry(theirs, "java netty-stream crc=on"),
                        new Entry(mine, "java netty-stream transport=jwarp"),
                        new Entry(inPlace, "java netty-stream transport=jwarp allocator=jwarp")),
                List.of(
                        ratio("S5", mine + " / epoll + CRC in the handler", mine, theirs, Metric.RATE, atLeast(1)),
                        ratio("S5", mine + " / epoll", mine, plain, Metric.RATE, Bound.REPORT),
                        ratio("S5", inPlace + " / copied", inPlace, mine, Metric.RATE, Bound.REPORT),
                        ratio(
                                "S5",
                                inPlace + " / epoll + CRC in the handler",
                                inPlace,
                                theirs,
                                Metric.RATE,
                                Bound.REPORT),
                        allocates(mine),
                        allocates(plain)));
    }
}
