package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Bound.REPORT;
import static dev.jwarp.benchmarks.compare.Bound.atLeast;
import static dev.jwarp.benchmarks.compare.Bound.atMost;
import static dev.jwarp.benchmarks.compare.Bound.below;
import static dev.jwarp.benchmarks.compare.Bound.published;
import static dev.jwarp.benchmarks.compare.Comparison.figure;
import static dev.jwarp.benchmarks.compare.Comparison.flat;
import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/** The contenders and comparisons of the goals P1 to P19, except P15, which {@link MemoryGoal} measures. */
final class Plan {
    /** FPDUs with 32 KiB of payload, and FPDUs of 1408 bytes in all, like those of the floor in C. */
    private static final String LARGE = " jwarp.mpa.emss=32788";

    private static final String SMALL = " jwarp.mpa.emss=1408";

    /** Path MTU at which the UDP payload is as long as those FPDUs: neither side has longer segments than the other. */
    private static final int EQUAL_MTU = 1408 + 28;

    private static final String BLOCK = "java jwarp-stream wait=block op=write";
    private static final String SPIN = "java jwarp-stream wait=spin op=write";
    private static final String UD = "java jwarp-datagrams service=ud";
    private static final String RD = "java jwarp-datagrams service=rd";
    private static final String RC = "java jwarp-datagrams service=rc";

    /** Numbers of connections or peers at the points of P16's curves: for 64 B, for 16 KiB, and in a quick run. */
    private static final int[] PEERS = {1, 100, 1_000, 10_000};

    private static final int[] PEERS_OF_LONG = {1, 100, 10_000};
    private static final int[] PEERS_QUICK = {1, 1_000};

    /** Numbers of peers in P19: for cold and for warm peers. */
    private static final int[] COLD = {1, 10, 100, 1_000, 10_000};

    private static final int[] COLD_QUICK = {1, 1_000};
    private static final int[] WARM = {1, 10_000};
    private static final int[] WARM_QUICK = {};

    private Plan() {}

    /** @param quick whether to omit larger messages and further points of curves */
    static List<Workload> workloads(boolean quick) {
        return List.of(
                streamsOneCore(quick),
                streamsTwoCores(),
                roundTripsSpinning(),
                roundTripsOfTools(),
                roundTripsBlocking(),
                roundTripsOfEventLoops(true),
                roundTripsOfEventLoops(false),
                smallWrites(true),
                smallWrites(false),
                datagramsOneCore(),
                datagramStreams(quick),
                allocation(quick),
                tail(),
                manyConnections(),
                curves(quick),
                firstMessages(quick));
    }

    private static Workload streamsOneCore(boolean quick) {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (int kib : quick ? new int[] {64} : new int[] {64, 1024}) {
            String s = kib == 64 ? "64 KiB" : "1 MiB";
            String size = " size=" + kib * 1024;
            entries.add(new Entry("Netty stream " + s, "java netty-stream" + size));
            entries.add(new Entry("C TCP stream " + s, "c tcp-stream wait=block" + size));
            entries.add(new Entry("Write " + s + ", no CRC", BLOCK + size + " crc=off" + LARGE));
            entries.add(new Entry("Netty stream + CRC " + s, "java netty-stream crc=on" + size));
            entries.add(new Entry("C floor + CRC " + s, "c rdma-write wait=block crc=on" + size));
            entries.add(new Entry("Write " + s, BLOCK + size + LARGE));
            String p1 = "Write " + s + ", no CRC";
            boolean large = kib > 64; // too large for the cache: a fair peer places its bytes, too
            Bound rawNetty = large ? REPORT : atLeast(1.15);
            Bound rawC = large ? REPORT : atLeast(0.95);
            all.add(ratio("P1", p1 + " / Netty stream", p1, "Netty stream " + s, Metric.RATE, rawNetty));
            all.add(ratio("P1", p1 + " / C TCP stream", p1, "C TCP stream " + s, Metric.RATE, rawC));
            if (large) {
                String netty = "Netty stream, placed " + s;
                String c = "C TCP stream, placed " + s;
                entries.add(new Entry(netty, "java netty-stream place=on" + size));
                entries.add(new Entry(c, "c tcp-stream wait=block place=on" + size));
                all.add(ratio("P1", p1 + " / " + netty, p1, netty, Metric.RATE, atLeast(1)));
                all.add(ratio("P1", p1 + " / " + c, p1, c, Metric.RATE, atLeast(1)));
            }
            String p2 = "Write " + s;
            all.add(ratio(
                    "P2", p2 + " / Netty stream + CRC", p2, "Netty stream + CRC " + s, Metric.RATE, atLeast(1.1)));
            all.add(ratio("P2", p2 + " / C floor + CRC", p2, "C floor + CRC " + s, Metric.RATE, atLeast(1.05)));
        }
        entries.add(new Entry("Write 64 KiB, lists of 4", BLOCK + " list=4" + LARGE));
        entries.add(new Entry("Java NIO stream 64 KiB", "java nio-stream wait=block"));
        entries.add(new Entry("C TCP stream + CRC 64 KiB", "c tcp-stream wait=block crc=on"));
        all.add(ratio(
                "P1",
                "Write 64 KiB, no CRC / Java NIO stream",
                "Write 64 KiB, no CRC",
                "Java NIO stream 64 KiB",
                Metric.RATE,
                REPORT));
        all.add(ratio(
                "P2",
                "Write 64 KiB / C TCP stream + CRC",
                "Write 64 KiB",
                "C TCP stream + CRC 64 KiB",
                Metric.RATE,
                REPORT));
        String four = "Write 64 KiB, lists of 4";
        all.add(ratio(
                "P2", four + " / Netty stream + CRC", four, "Netty stream + CRC 64 KiB", Metric.RATE, atLeast(1.2)));
        all.add(ratio("P2", four + " / C floor + CRC", four, "C floor + CRC 64 KiB", Metric.RATE, atLeast(1.12)));
        entries.add(new Entry("C floor + CRC, 1408 B", "c rdma-write wait=block crc=on fpdu=1408"));
        entries.add(new Entry("Write, 1408 B", BLOCK + SMALL));
        all.add(ratio(
                "P3",
                "Write 64 KiB, FPDUs of 1408 B / C floor + CRC",
                "Write, 1408 B",
                "C floor + CRC, 1408 B",
                Metric.RATE,
                atLeast(1.15)));
        return new Workload("Streams on one core, blocking", true, Length.USUAL, entries, all);
    }

    private static Workload streamsTwoCores() {
        List<Entry> entries = List.of(
                new Entry("Write, lists of 4, spinning", SPIN + " list=4" + LARGE),
                new Entry("UCX put", "ucx ucp_put_bw 65536"),
                new Entry("UCX tag", "ucx tag_bw 65536"),
                new Entry("libfabric write", "fabric fabric-stream op=write size=65536"),
                new Entry("libfabric send", "fabric fabric-stream op=send size=65536"),
                new Entry("C TCP, spinning", "c tcp-stream wait=spin"),
                new Entry("iperf3", "iperf3"));
        String mine = "Write, lists of 4, spinning";
        return new Workload(
                "Streams of 64 KiB on two cores, spinning",
                false,
                Length.STARTED,
                entries,
                List.of(
                        ratio("P4", "Write / UCX put", mine, "UCX put", Metric.RATE, atLeast(5)),
                        ratio("P4", "Write / UCX tag", mine, "UCX tag", Metric.RATE, atLeast(2.2)),
                        ratio("P4", "Write / libfabric write", mine, "libfabric write", Metric.RATE, atLeast(1.2)),
                        ratio("P4", "Write / libfabric send", mine, "libfabric send", Metric.RATE, atLeast(1.2)),
                        ratio("P4", "Write / C TCP stream", mine, "C TCP, spinning", Metric.RATE, REPORT),
                        ratio("P4", "Write / iperf3", mine, "iperf3", Metric.RATE, REPORT)));
    }

    private static Workload roundTripsSpinning() {
        String mine = "Send";
        return new Workload(
                "Round trips of 64 B on two cores, spinning",
                false,
                Length.USUAL,
                List.of(
                        new Entry(mine, "java jwarp-pingpong wait=spin"),
                        new Entry("Java NIO TCP", "java nio-echo wait=spin"),
                        new Entry("C TCP", "c tcp-echo wait=spin"),
                        new Entry("UD Send", UD + " wait=spin op=send latency=yes"),
                        new Entry("RC Send", RC + " wait=spin op=send latency=yes"),
                        new Entry("Java NIO UDP", "java nio-echo over=udp wait=spin connected=no"),
                        new Entry("C UDP", "c udp-echo wait=spin connected=no")),
                List.of(
                        ratio("P5", "Send / Java NIO", mine, "Java NIO TCP", Metric.P50, atMost(1.1)),
                        ratio("P5", "Send / C", mine, "C TCP", Metric.P50, atMost(1.15)),
                        ratio("P9", "UD Send / Java NIO UDP", "UD Send", "Java NIO UDP", Metric.P50, atMost(1.12)),
                        ratio("P9", "UD Send / RC Send", "UD Send", "RC Send", Metric.P50, atMost(0.82)),
                        ratio("P9", "UD Send / C UDP", "UD Send", "C UDP", Metric.P50, REPORT)));
    }

    private static Workload roundTripsOfTools() {
        String mine = "Send, beside tools";
        return new Workload(
                "Round trips of 64 B on two cores, spinning, beside tools",
                false,
                Length.STARTED,
                List.of(
                        new Entry(mine, "java jwarp-pingpong wait=spin"),
                        new Entry("UCX tag", "ucx tag_lat 64"),
                        new Entry("JUCX tag", "fresh-java jucx-echo"),
                        new Entry("libfabric", "fi 64"),
                        new Entry("Aeron", "aeron aeron-echo"),
                        new Entry("Netty echo", "java netty-echo")),
                List.of(
                        ratio("P6", "Send / UCX tag", mine, "UCX tag", Metric.P50, below(1)),
                        ratio("P6", "Send / JUCX tag", mine, "JUCX tag", Metric.P50, below(1)),
                        ratio("P6", "Send / libfabric, means", mine, "libfabric", Metric.MEAN, below(1)),
                        ratio("P6", "Send / Aeron", mine, "Aeron", Metric.P50, atMost(1.15)),
                        ratio("P6", "Send / Netty echo", mine, "Netty echo", Metric.P50, REPORT)));
    }

    private static Workload roundTripsBlocking() {
        List<Entry> entries = List.of(
                new Entry("C TCP, blocking", "c tcp-echo wait=block"),
                new Entry("Send, blocking read", "java jwarp-pingpong wait=block"),
                new Entry("Send, Selector", "java jwarp-pingpong wait=select"),
                new Entry("Send, Netty loop", "java jwarp-pingpong wait=threaded"),
                new Entry("Java NIO, blocking", "java nio-echo wait=block"));
        String c = "C TCP, blocking";
        return new Workload(
                "Round trips of 64 B on one core, blocking",
                true,
                Length.USUAL,
                entries,
                List.of(
                        ratio("P7", "Send, blocking read / C", "Send, blocking read", c, Metric.P50, atMost(1.12)),
                        ratio("P7", "Send, Selector / C", "Send, Selector", c, Metric.P50, atMost(1.25)),
                        ratio("P7", "Send, Netty loop / C", "Send, Netty loop", c, Metric.P50, REPORT),
                        ratio("P7", "Java NIO, blocking / C", "Java NIO, blocking", c, Metric.P50, REPORT)));
    }

    private static Workload roundTripsOfEventLoops(boolean oneCore) {
        String where = oneCore ? ", one core" : ", two cores";
        String c = "C TCP, blocking" + where;
        String epoll = "C TCP, epoll" + where;
        String netty = "Netty echo" + where;
        String mine = "Send, handlers" + where;
        String selector = "Send, program's selector" + where;
        String group = "Send, program's event loops" + where;
        return new Workload(
                "Round trips of 64 B between event loops" + where,
                oneCore,
                Length.USUAL,
                List.of(
                        new Entry(c, "c tcp-echo wait=block"),
                        new Entry(epoll, "c tcp-echo wait=epoll"),
                        new Entry(netty, "java netty-echo"),
                        new Entry(mine, "java jwarp-handlers"),
                        new Entry(selector, "java jwarp-handlers loops=selector"),
                        new Entry(group, "java jwarp-handlers loops=netty")),
                List.of(
                        ratio("P17", mine + " / C", mine, c, Metric.P50, atMost(1.35)),
                        ratio("P17", mine + " / Netty echo", mine, netty, Metric.P50, atMost(1.15)),
                        ratio("P17", mine + " / C that waits with epoll", mine, epoll, Metric.P50, REPORT),
                        ratio("P17", netty + " / C", netty, c, Metric.P50, REPORT),
                        ratio("P17", epoll + " / C", epoll, c, Metric.P50, REPORT),
                        ratio("P18", selector + " / C", selector, c, Metric.P50, atMost(1.35)),
                        ratio("P18", group + " / C", group, c, Metric.P50, atMost(1.35))));
    }

    private static Workload smallWrites(boolean oneCore) {
        String wait = " wait=" + (oneCore ? "block" : "spin");
        String where = oneCore ? ", one core" : ", two cores";
        String mine = "Writes" + where;
        String mover = "C mover" + where;
        String worker = "C worker" + where;
        return new Workload(
                "Writes of 64 B in lists of 32" + where,
                oneCore,
                Length.USUAL,
                List.of(
                        new Entry(mine, "java jwarp-stream op=write size=64 list=32" + wait),
                        new Entry(mover, "c rdma-write size=64 list=32 work=no" + wait),
                        new Entry(worker, "c rdma-write size=64 list=32 crc=on" + wait)),
                List.of(
                        ratio(
                                "P8",
                                mine + " / C that moves the bytes",
                                mine,
                                mover,
                                Metric.MESSAGES,
                                atLeast(oneCore ? 0.6 : 0.85)),
                        ratio(
                                "P8",
                                mine + " / C that does the work",
                                mine,
                                worker,
                                Metric.MESSAGES,
                                atLeast(oneCore ? 1.1 : 1.0))));
    }

    private static Workload datagramsOneCore() {
        String write = " op=write size=65536 latency=no";
        String mine = "Write-Record, inline";
        String floor = "C floor of Write-Record";
        String rc = "RC Write, 1408 B";
        List<Entry> entries = new ArrayList<>(List.of(
                new Entry(mine, UD + " wait=block" + write),
                new Entry("Write-Record, threaded", UD + " wait=threaded" + write),
                new Entry(floor, "c write-record wait=block"),
                new Entry(rc, BLOCK + SMALL),
                new Entry("C floor of RDMA Write, 1408 B", "c rdma-write wait=block crc=on fpdu=1408 copy=1408"),
                new Entry("RC Write", BLOCK + LARGE),
                new Entry("Netty GSO", "java netty-datagrams gso=on"),
                new Entry("C GSO", "c udp-stream wait=block gso=on"),
                new Entry("C without GSO", "c udp-stream wait=block gso=off"),
                new Entry("Java NIO UDP, without GSO", "java nio-datagrams")));
        String datagrams = "Write-Record 64 KiB in datagrams of 1472 B";
        List<Comparison> all = new ArrayList<>(List.of(
                ratio("P10", datagrams + " / C floor of it", mine, floor, Metric.RATE, atLeast(1)),
                ratio("P10", datagrams + " / RC Write, FPDUs of 1408 B", mine, rc, Metric.RATE, atLeast(1)),
                ratio("P10", "threaded / C floor", "Write-Record, threaded", floor, Metric.RATE, REPORT),
                ratio(
                        "P10",
                        "C floor over UDP / C floor over TCP, 1408 B",
                        floor,
                        "C floor of RDMA Write, 1408 B",
                        Metric.RATE,
                        REPORT),
                ratio("P10", datagrams + " / RC Write, FPDUs of 32 KiB", mine, "RC Write", Metric.RATE, REPORT)));
        for (String peer : List.of("Netty GSO", "C GSO", "C without GSO", "Java NIO UDP, without GSO")) {
            all.add(ratio("P10", datagrams + " / " + peer + ", which does no work", mine, peer, Metric.RATE, REPORT));
        }
        for (String algorithm : List.of("aes-128-gcm", "hmac-sha-256")) {
            String keyed = "Write-Record, " + algorithm;
            entries.add(new Entry(keyed, UD + " wait=block keys=" + algorithm + write));
            all.add(ratio("P10", algorithm + " / without keys", keyed, mine, Metric.RATE, REPORT));
        }
        for (int mtu : new int[] {9000, 65_535}) {
            String with = "Write-Record, MTU " + mtu;
            String under = "C floor of Write-Record, MTU " + mtu;
            entries.add(new Entry(with, UD + " wait=block mtu=" + mtu + write));
            entries.add(new Entry(under, "c write-record wait=block mtu=" + mtu));
            all.add(ratio("P10", "64 KiB, MTU " + mtu + " / C floor of it", with, under, Metric.RATE, REPORT));
            all.add(ratio(
                    "P10",
                    "64 KiB, MTU " + mtu + " / RC Write, FPDUs of 32 KiB",
                    with,
                    "RC Write",
                    Metric.RATE,
                    REPORT));
        }
        return new Workload("Datagrams on one core", true, Length.USUAL, entries, all);
    }

    private static Workload datagramStreams(boolean quick) {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (String op : List.of("send", "write")) {
            for (int kib : quick ? new int[] {512} : new int[] {1, 512}) {
                String what = (op.equals("send") ? "Send " : "Write-Record ") + kib + " KiB";
                String rest = " latency=no op=" + op + " size=" + kib * 1024;
                String rc = "RC, " + what;
                String spinning = "UD, " + what + ", MTU 64K, spinning";
                String ethernet = "UD, " + what + ", MTU 1500, spinning";
                entries.add(new Entry(rc, RC + " wait=spin" + rest));
                entries.add(new Entry(spinning, UD + " wait=spin mtu=65535" + rest));
                entries.add(new Entry(ethernet, UD + " wait=spin" + rest));
                Bound bound = published(kib > 1 ? 3.56 : op.equals("send") ? 2.93 : 2.89);
                all.add(ratio("P11", spinning + " / RC", spinning, rc, Metric.RATE, bound));
                all.add(ratio("P11", ethernet + " / RC", ethernet, rc, Metric.RATE, bound));
                if (kib == 1) {
                    continue; // the other pairs have no published figures, and take time
                }
                String cut = "RC, " + what + ", FPDUs of 1408 B";
                String equal = "UD, " + what + ", datagrams of 1408 B, spinning";
                entries.add(new Entry(cut, RC + " wait=spin" + rest + SMALL));
                entries.add(new Entry(equal, UD + " wait=spin mtu=" + EQUAL_MTU + rest));
                all.add(ratio("P11", equal + " / RC, FPDUs of 1408 B", equal, cut, Metric.RATE, REPORT));
                String reliable = "RD, " + what + ", MTU 64K, spinning";
                String reliableEqual = "RD, " + what + ", datagrams of 1408 B, spinning";
                entries.add(new Entry(reliable, RD + " wait=spin mtu=65535" + rest));
                entries.add(new Entry(reliableEqual, RD + " wait=spin mtu=" + EQUAL_MTU + rest));
                all.add(ratio("P11", reliable + " / RC", reliable, rc, Metric.RATE, REPORT));
                all.add(ratio(
                        "P11", reliableEqual + " / RC, FPDUs of 1408 B", reliableEqual, cut, Metric.RATE, REPORT));
            }
        }
        return new Workload("UD beside RC on two cores", false, Length.BESIDE, entries, all);
    }

    private static Workload allocation(boolean quick) {
        List<Entry> all = List.of(
                new Entry("RC Send, allocation", "java jwarp-stream wait=spin op=send size=64"),
                new Entry("RC Write, allocation", "java jwarp-stream wait=spin op=write size=64"),
                new Entry("RC Write 64 KiB, allocation", "java jwarp-stream wait=spin op=write size=65536"),
                new Entry("RC Read, allocation", RC + " wait=spin op=read size=64 latency=no"),
                new Entry("RC Fetch-and-Add, allocation", "java jwarp-atomic wait=spin"),
                new Entry("RC Send, round trip, allocation", "java jwarp-pingpong wait=spin"),
                new Entry("UD Send, allocation", UD + " wait=spin op=send size=64 latency=no"),
                new Entry("UD Write-Record, allocation", UD + " wait=spin op=write size=64 latency=no"),
                new Entry("UD Write-Record 64 KiB, allocation", UD + " wait=spin op=write size=65536 latency=no"),
                new Entry("UD Read, allocation", UD + " wait=spin op=read size=64 latency=no"));
        List<Entry> entries = quick
                ? all.stream().filter(entry -> !entry.name().contains("64 KiB")).toList()
                : all;
        return new Workload(
                "Bytes allocated",
                false,
                Length.ALLOCATION,
                entries,
                entries.stream()
                        .map(entry -> figure("P12", entry.name(), entry.name(), Metric.ALLOCATED, atMost(0)))
                        .toList());
    }

    private static Workload tail() {
        return new Workload(
                "Round trips of 64 B on two cores, spinning, a minute of each",
                false,
                Length.MINUTE,
                List.of(
                        new Entry("Send, a minute", "java jwarp-pingpong wait=spin"),
                        new Entry("C TCP, a minute", "c tcp-echo wait=spin")),
                List.of(ratio(
                        "P13", "Send / C, p99.9", "Send, a minute", "C TCP, a minute", Metric.P999, atMost(1.15))));
    }

    private static Workload manyConnections() {
        String what = " connections=1000 size=1024";
        return new Workload(
                "1,000 connections, 1 KiB under way on each, one core",
                true,
                Length.USUAL,
                List.of(
                        new Entry(
                                "Sends, 1,000 connections",
                                "java jwarp-many flight=each jwarp.progress.wait=select" + what),
                        new Entry("Netty, 1,000 connections", "java netty-many" + what)),
                List.of(ratio(
                        "P14",
                        "Sends over 1,000 connections / Netty",
                        "Sends, 1,000 connections",
                        "Netty, 1,000 connections",
                        Metric.MESSAGES,
                        atLeast(0.95))));
    }

    private static Workload curves(boolean quick) {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (String service : List.of("rc", "ud")) {
            for (int size : quick ? new int[] {64} : new int[] {64, 16 * 1024}) {
                List<String> points = new ArrayList<>();
                for (int peers : quick ? PEERS_QUICK : size == 64 ? PEERS : PEERS_OF_LONG) {
                    String name = curve(service, size) + peers;
                    points.add(name);
                    entries.add(new Entry(
                            name,
                            "c1-java jwarp-many processes=2 flight=one service=" + service + " size=" + size
                                    + " connections=" + peers));
                }
                all.add(flat(
                        "P16",
                        (service.equals("rc") ? "Sends over connections, " : "Sends to UD peers, ")
                                + (size == 64 ? "a message" : "a byte (16 KiB)")
                                + ", dearest / cheapest from 1 to " + (quick ? "1,000" : "10,000"),
                        points,
                        Metric.COST,
                        atMost(1.3)));
            }
        }
        return new Workload("Cost by connections and peers, one core", true, Length.CURVE, entries, all);
    }

    private static Workload firstMessages(boolean quick) {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (boolean cold : new boolean[] {true, false}) {
            for (int peers : cold ? quick ? COLD_QUICK : COLD : quick ? WARM_QUICK : WARM) {
                String what = ", " + (cold ? "cold" : "warm") + " peers: " + peers;
                String ud = "UD" + what;
                String rc = "RC" + what;
                String rest = " cold=" + (cold ? "yes" : "no") + " connections=" + peers;
                entries.add(new Entry(ud, "c1-java jwarp-first service=ud" + rest));
                entries.add(new Entry(rc, "c1-java jwarp-first service=rc" + rest));
                all.add(ratio("P19", ud + " / RC", ud, rc, Metric.MESSAGES, cold ? atLeast(3) : REPORT));
            }
        }
        return new Workload("One message to each peer, and its answer, one core", true, Length.FIRST, entries, all);
    }

    /** {@return the name of a curve's points without their number} */
    static String curve(String service, int size) {
        return service + " " + size + " B x ";
    }
}
