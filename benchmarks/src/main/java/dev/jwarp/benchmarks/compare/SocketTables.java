package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The tables of papers about sockets over RDMA, measured with jwarp's sockets: number of credits, the size from which a
 * copy costs more than a gathered send, combined small writes, a thread that polls or blocks, idle connections, and the
 * same messages in three ways. They have no goals: these tables explain the defaults.
 */
final class SocketTables {
    /** The name for {@code --only}. */
    static final String NAME = "TABLES";

    private static final String JWARP_ECHO = "java socket-echo provider=jwarp";
    private static final String JWARP_STREAM = "java socket-stream stream=yes provider=jwarp";
    private static final String CREDITS = " protocol=credits";

    private static final int IDLE = 600;
    private static final int SMALL = 64;

    private SocketTables() {}

    static List<Workload> workloads() {
        List<Workload> all = new ArrayList<>(List.of(
                credits(SMALL),
                credits(64 << 10),
                combining(),
                waiting("64 B, round trips", JWARP_ECHO + " size=64", "java socket-echo provider=jdk size=64"),
                idle()));
        for (int size : new int[] {2 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20}) {
            all.add(copies(size));
        }
        for (int size : new int[] {SMALL, 64 << 10, 1 << 20}) {
            all.add(messages(size));
        }
        for (int size : new int[] {SMALL, 1 << 10, 16 << 10, 64 << 10}) {
            all.add(threeWays(
                    "round trips of " + size + " B",
                    " size=" + size,
                    "java socket-echo provider=",
                    "java jwarp-pingpong wait=block",
                    Metric.P50));
        }
        for (int size : new int[] {1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20}) {
            all.add(threeWays(
                    "a stream of " + size + " B",
                    " size=" + size,
                    "java socket-stream stream=yes provider=",
                    "java jwarp-stream wait=block op=write",
                    Metric.RATE));
        }
        return all;
    }

    /** The default is 32 credits; rsockets has 384 messages. */
    private static Workload credits(int size) {
        String what = "a stream of " + size + " B";
        String rest = " size=" + size;
        IntFunction<String> name = credits -> credits + " credits: " + what;
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (int credits : new int[] {4, 8, 16, 32, 64}) {
            entries.add(new Entry(name.apply(credits), JWARP_STREAM + CREDITS + rest + " credits=" + credits));
            if (credits != 32) {
                all.add(report(name.apply(credits), name.apply(32), Metric.RATE));
            }
        }
        String rsockets = "rsockets: " + what;
        entries.add(new Entry(rsockets, JWARP_STREAM + rest));
        all.add(report(rsockets, name.apply(32), Metric.RATE));
        return workload("How many credits, " + what, true, entries, all);
    }

    private static Workload combining() {
        String what = "a stream of 64 B";
        String alone = "each write alone: " + what;
        String together = "writes put together: " + what;
        String tcp = "JDK TCP, TCP_NODELAY: " + what;
        String nagle = "JDK TCP, Nagle: " + what;
        String jdk = "java socket-stream stream=yes provider=jdk size=64";
        return workload(
                "Small writes put together, " + what,
                true,
                List.of(
                        new Entry(alone, JWARP_STREAM + CREDITS + " size=64"),
                        new Entry(together, JWARP_STREAM + CREDITS + " size=64 nodelay=no"),
                        new Entry(tcp, jdk),
                        new Entry(nagle, jdk + " nodelay=no")),
                List.of(report(together, alone, Metric.RATE), report(nagle, tcp, Metric.RATE)));
    }

    /** One contender copies everything, the other nothing. COPY_BYTES should be the length at which both are equal. */
    private static Workload copies(int size) {
        String what = "a stream of " + size + " B, receive buffer of 1 MiB";
        String rest = JWARP_STREAM + CREDITS + " buffer=1048576 size=" + size;
        String copied = "copied: " + what;
        String gathered = "from where it is: " + what;
        return workload(
                "Copied or from where it is, " + what,
                true,
                List.of(new Entry(copied, rest + " copy=" + Integer.MAX_VALUE), new Entry(gathered, rest + " copy=1")),
                List.of(report(gathered, copied, Metric.RATE)));
    }

    /** Without copies a reader must wait for the whole message. */
    private static Workload messages(int size) {
        String what = "a stream of " + size + " B";
        String rest = JWARP_STREAM + CREDITS + " size=" + size + " zerocopy=" + (256 << 10);
        String bytes = "bytes: " + what;
        String messages = "messages: " + what;
        return workload(
                "Writes are bytes or messages, " + what,
                true,
                List.of(new Entry(bytes, rest), new Entry(messages, rest + " messages=yes")),
                List.of(report(messages, bytes, Metric.RATE)));
    }

    private static Workload waiting(String what, String mine, String theirs) {
        String blocks = "blocks: " + what;
        String polls = "polls: " + what;
        String tcpBlocks = "JDK TCP, blocks: " + what;
        String tcpPolls = "JDK TCP, polls: " + what;
        return workload(
                "A thread that polls or blocks, a core for each end, " + what,
                false,
                List.of(
                        new Entry(blocks, mine + " wait=block"),
                        new Entry(polls, mine + " wait=poll"),
                        new Entry(tcpBlocks, theirs + " wait=block"),
                        new Entry(tcpPolls, theirs + " wait=poll")),
                List.of(
                        report(polls, blocks, Metric.P50),
                        report(tcpPolls, tcpBlocks, Metric.P50),
                        report(polls, tcpPolls, Metric.P50)));
    }

    private static Workload idle() {
        String what = "round trips of 64 B through a selector, over one channel";
        String rest = " wait=select size=64 active=1 connections=";
        String jdk = "java socket-echo provider=jdk";
        IntFunction<String> mine = count -> "jwarp, " + count + " channels: " + what;
        IntFunction<String> theirs = count -> "JDK TCP, " + count + " channels: " + what;
        return workload(
                "Connections that do nothing beside it, " + what,
                true,
                List.of(
                        new Entry(mine.apply(1), JWARP_ECHO + rest + 1),
                        new Entry(mine.apply(IDLE), JWARP_ECHO + rest + IDLE),
                        new Entry(theirs.apply(1), jdk + rest + 1),
                        new Entry(theirs.apply(IDLE), jdk + rest + IDLE)),
                List.of(
                        report(mine.apply(IDLE), mine.apply(1), Metric.P50),
                        report(theirs.apply(IDLE), theirs.apply(1), Metric.P50)));
    }

    /** Both ends share a core, so that the duration of a message is also the processor time of both ends. */
    private static Workload threeWays(String what, String rest, String sockets, String verbs, Metric metric) {
        String plain = "JDK TCP: " + what;
        String mine = "jwarp's sockets: " + what;
        String below = "jwarp's verbs: " + what;
        return workload(
                "Three ways, " + what,
                true,
                List.of(
                        new Entry(plain, sockets + "jdk" + rest),
                        new Entry(mine, sockets + "jwarp" + rest),
                        new Entry(below, verbs + rest)),
                List.of(report(mine, plain, metric), report(below, plain, metric)));
    }

    private static Comparison report(String one, String other, Metric metric) {
        return ratio(NAME, one + " / " + other.split(":", 2)[0], one, other, metric, Bound.REPORT);
    }

    private static Workload workload(String title, boolean oneCore, List<Entry> entries, List<Comparison> all) {
        return new Workload("Tables of sockets: " + title, oneCore, Length.BESIDE, entries, all);
    }
}
