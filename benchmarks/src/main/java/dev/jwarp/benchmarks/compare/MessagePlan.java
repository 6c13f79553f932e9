package dev.jwarp.benchmarks.compare;

import static dev.jwarp.benchmarks.compare.Bound.REPORT;
import static dev.jwarp.benchmarks.compare.Bound.atLeast;
import static dev.jwarp.benchmarks.compare.Bound.atMost;
import static dev.jwarp.benchmarks.compare.Comparison.ratio;

import dev.jwarp.benchmarks.compare.Workload.Entry;
import dev.jwarp.benchmarks.compare.Workload.Length;
import java.util.ArrayList;
import java.util.List;

/**
 * The goals M1 to M6: messages by service id compared with the verbs, with gRPC and Netty, with Jetty over TCP, and with
 * Aeron; and Reads of a host's memory compared with calls of its program.
 */
final class MessagePlan {
    private static final String MESSAGES = "java messages way=";

    private MessagePlan() {}

    static List<Workload> workloads() {
        return List.of(roundTrips(), calls(), files(), manyClients(), stream(), versions());
    }

    /** Threads that receive, with inline progress, as the verbs' ends do. */
    private static Workload roundTrips() {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (int size : new int[] {64, 1_400}) {
            String rest = " size=" + size;
            String rc = "Message " + size + " B, RC";
            String rcVerbs = "Send " + size + " B, RC, verbs";
            String ud = "Message " + size + " B, UD";
            String udVerbs = "Send " + size + " B, UD, verbs";
            entries.add(new Entry(rcVerbs, "java jwarp-pingpong wait=block" + rest));
            entries.add(new Entry(rc, MESSAGES + "receive carrier=rc" + rest));
            entries.add(new Entry(udVerbs, "java jwarp-datagrams service=ud wait=block latency=yes" + rest));
            entries.add(new Entry(ud, MESSAGES + "receive carrier=ud" + rest));
            all.add(ratio("M1", rc + " / verbs", rc, rcVerbs, Metric.P50, atMost(1.15)));
            all.add(ratio("M1", ud + " / verbs", ud, udVerbs, Metric.P50, atMost(1.15)));
            all.add(SocketPlan.allocatesNothing(rc));
            all.add(SocketPlan.allocatesNothing(ud));
        }
        return new Workload("Round trips of short messages, blocking", true, Length.USUAL, entries, all);
    }

    private static Workload calls() {
        String mine = "Call, RC";
        String handlers = "Message to handlers, RC";
        String verbs = "Send to handlers, RC, verbs";
        String grpc = "gRPC over Netty, unary";
        String netty = "Netty TCP echo";
        return new Workload(
                "Calls of 64 B on event loops",
                true,
                Length.USUAL,
                List.of(
                        new Entry(grpc, "java calls with=grpc"),
                        new Entry(netty, "java netty-echo"),
                        new Entry(verbs, "java jwarp-handlers"),
                        new Entry(handlers, MESSAGES + "handlers"),
                        new Entry(mine, MESSAGES + "calls")),
                List.of(
                        ratio("M2", mine + " / gRPC", mine, grpc, Metric.P50, atMost(0.4)),
                        ratio("M2", mine + " / Netty TCP echo", mine, netty, Metric.P50, atMost(1.4)),
                        ratio("M2", handlers + " / verbs", handlers, verbs, Metric.P50, REPORT)));
    }

    /** Files of Jetty: as long messages, and over TCP. */
    private static Workload files() {
        List<Entry> entries = new ArrayList<>();
        List<Comparison> all = new ArrayList<>();
        for (String size : new String[] {"128 KiB", "1 MiB", "8 MiB", "80 MiB"}) {
            String[] words = size.split(" ", -1);
            int bytes = Integer.parseInt(words[0]) << (words[1].equals("KiB") ? 10 : 20);
            String mine = "GET " + size + ", messages";
            String tcp = "GET " + size + ", Jetty over TCP";
            entries.add(new Entry(tcp, "java http with=tcp size=" + bytes));
            entries.add(new Entry(mine, "java http with=messages size=" + bytes));
            all.add(ratio("M3", mine + " / TCP", mine, tcp, Metric.RATE, atLeast(1)));
        }
        return new Workload("Files of Jetty", true, Length.USUAL, entries, all);
    }

    private static Workload manyClients() {
        String one = "Message, one connection";
        String many = "Message, 64 connections in turn";
        return new Workload(
                "Round trips of 64 B to a service that receives from anyone, on event loops",
                true,
                Length.USUAL,
                List.of(new Entry(one, MESSAGES + "handlers"), new Entry(many, MESSAGES + "handlers clients=64")),
                List.of(ratio("M4", many + " / one connection", many, one, Metric.P50, atMost(1.15))));
    }

    private static Workload stream() {
        String rc = "Messages of 64 B, RC";
        String ud = "Messages of 64 B, UD";
        String aeron = "Aeron over UDP, 64 B";
        return new Workload(
                "Short messages one way",
                true,
                Length.USUAL,
                List.of(
                        new Entry(aeron, "aeron aeron-stream"),
                        new Entry(rc, MESSAGES + "stream"),
                        new Entry(ud, MESSAGES + "stream carrier=ud")),
                List.of(
                        ratio("M5", rc + " / Aeron", rc, aeron, Metric.RATE, atLeast(1)),
                        ratio("M5", ud + " / Aeron", ud, aeron, Metric.RATE, REPORT)));
    }

    /** The program of the owner has no part in a Read. */
    private static Workload versions() {
        String read = "Version by Read, owner waits";
        String readBusy = "Version by Read, owner computes";
        String readStopped = "Version by Read, owner stopped";
        String call = "Version by call, owner waits";
        String callBusy = "Version by call, owner computes";
        return new Workload(
                "Version checks of an active cache, threads",
                false,
                Length.USUAL,
                List.of(
                        new Entry(read, "java version by=read owner=waits"),
                        new Entry(readBusy, "java version by=read owner=computes"),
                        new Entry(readStopped, "java version by=read owner=stopped"),
                        new Entry(call, "java version by=call owner=waits"),
                        new Entry(callBusy, "java version by=call owner=computes")),
                List.of(
                        ratio("M6", readBusy + " / waits", readBusy, read, Metric.P50, atMost(2)),
                        ratio("M6", readStopped + " / waits", readStopped, read, Metric.P50, atMost(2)),
                        ratio("M6", callBusy + " / waits", callBusy, call, Metric.P50, REPORT),
                        ratio("M6", read + " / call", read, call, Metric.P50, REPORT)));
    }
}
