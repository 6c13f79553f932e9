package dev.jwarp.tools.perf;

import dev.jwarp.tools.perf.PerfSettings.Format;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the page: title, block, addresses, header and rows in the format of perftest, with more columns on the
 * right unless the format is classic.
 */
final class PerfPage {
    private static final String RULE = "-".repeat(87);
    private static final String STARS = "*".repeat(36);
    private static final double NANOS_PER_MICRO = 1e3;

    /** The text of a value that was not measured. */
    private static final String NONE = "-";

    private final PerfSettings settings;
    private final boolean classic;

    PerfPage(PerfSettings settings) {
        this.settings = settings;
        classic = settings.report().format() == Format.CLASSIC;
    }

    /** {@return the lines of a server that waits} */
    static List<String> waiting() {
        return List.of("", STARS, "* Waiting for client to connect... *", STARS);
    }

    static String rule() {
        return RULE;
    }

    /** {@return the lines above the rows} */
    List<String> head(PageHead head) {
        PerfSettings.Load load = settings.load();
        PerfSettings.Queues queues = settings.queues();
        List<String> lines = new ArrayList<>();
        lines.add(RULE);
        lines.add(" ".repeat(20)
                + (load.bidirectional() ? bidirectional() : settings.test().title()));
        lines.add(" Dual-port       : OFF\t\tDevice         : " + head.device());
        lines.add(" Number of qps   : " + load.queuePairs() + "\t\tTransport type : IW");
        lines.add(" Connection type : " + load.type() + "\t\tUsing SRQ      : OFF");
        if (!settings.place().server() || load.bidirectional()) {
            lines.add(" TX depth        : " + queues.txDepth());
        }
        if (settings.test().operation() == PerfTest.Operation.SEND) {
            lines.add(" RX depth        : " + queues.rxDepth());
        }
        if (!settings.test().latency()) {
            if (!classic || queues.postList() > 0) {
                lines.add(" Post List       : " + queues.listOf(load.allSizes() ? 1 : load.size()));
            }
            lines.add(" CQ Moderation   : " + queues.moderation(load.allSizes() ? 1 : load.size()));
        }
        lines.add(" Mtu             : " + head.mtu() + "[B]");
        lines.add(" Link type       : Ethernet");
        lines.add(" Max inline data : " + queues.inline() + "[B]");
        if (settings.test().operation().fetches()) {
            lines.add(" Outstand reads  : " + load.outstandingReads());
        }
        lines.add(" rdma_cm QPs\t : " + (head.connectionManager() ? "ON" : "OFF"));
        lines.add(" Data ex. method : " + (head.connectionManager() ? "rdma_cm" : "Ethernet"));
        lines.add(RULE);
        head.local().forEach(end -> address(lines, " local", end));
        head.remote().forEach(end -> address(lines, " remote", end));
        lines.add(RULE);
        lines.add(header());
        return lines;
    }

    private String bidirectional() {
        return settings.test().title().replace("BW", "Bidirectional BW");
    }

    private void address(List<String> lines, String side, PageHead.Endpoint end) {
        String memory = settings.test().operation() == PerfTest.Operation.SEND
                ? ""
                : String.format(" RKey 0x%06x VAddr 0x%014x", end.key(), end.address());
        lines.add(String.format("%s address: LID 0000 QPN 0x%04x PSN 0x000000%s", side, end.queuePair(), memory));
        StringBuilder gid = new StringBuilder(" GID: ");
        byte[] octets = mapped(end.host());
        for (int i = 0; i < octets.length; i++) {
            gid.append(i == 0 ? "" : ":").append(String.format("%02d", octets[i] & 0xff));
        }
        lines.add(gid.toString());
    }

    /** {@return the address in 16 bytes; an IPv4 address is mapped into IPv6} */
    private static byte[] mapped(InetAddress host) {
        byte[] octets = host.getAddress();
        if (octets.length == 16) {
            return octets;
        }
        byte[] long6 = new byte[16];
        long6[10] = (byte) 0xff;
        long6[11] = (byte) 0xff;
        System.arraycopy(octets, 0, long6, 12, octets.length);
        return long6;
    }

    private String header() {
        boolean timed = settings.load().timed();
        StringBuilder text = new StringBuilder();
        if (!settings.test().latency()) {
            String unit = settings.report().unit();
            text.append(" #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit + "]   MsgRate[Mpps]");
        } else if (classic && timed) {
            text.append(" #bytes        #iterations       t_avg[usec]    tps average");
        } else {
            text.append(
                    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                            + "   99% percentile[usec]   99.9% percentile[usec] ");
        }
        if (settings.report().cpuUtil()) {
            text.append("    CPU_Util[%]");
        }
        if (!classic) {
            for (Column column : Column.values()) {
                text.append(column.of(this) ? "   " + column.title : "");
            }
        }
        return text.toString();
    }

    /** {@return the line of one result} */
    String row(PerfResult result) {
        String text = settings.test().latency() ? latencyRow(result) : bandwidthRow(result);
        StringBuilder line = new StringBuilder(text);
        if (settings.report().cpuUtil()) {
            line.append("\t    ").append(fixed(result.cpuPercent(), 2, -3));
        }
        if (!classic) {
            for (Column column : Column.values()) {
                if (column.of(this)) {
                    line.append("   ").append(String.format("%" + column.title.length() + "s", column.text(result)));
                }
            }
        }
        return line.toString();
    }

    /** {@return the average bandwidth or peak in the unit of the page; NaN for NaN} */
    double inUnit(double bytesPerSecond) {
        return settings.report().gbits() ? bytesPerSecond * 8 / 1e9 : bytesPerSecond / (1 << 20);
    }

    private String bandwidthRow(PerfResult result) {
        double average = inUnit(result.bytesPerSecond());
        boolean exact = settings.report().gbits() && average < 0.1;
        String peak = fixed(inUnit(result.peak()), exact ? 6 : 2, -7);
        String mean = fixed(average, exact ? 6 : 2, -7);
        String rate = fixed(result.messagesPerSecond() / 1e6, 6, -7);
        return exact
                ? String.format(
                        Locale.ROOT,
                        " %-7d    %d           %s            %s            %s",
                        result.size(),
                        result.messages(),
                        peak,
                        mean,
                        rate)
                : String.format(
                        Locale.ROOT,
                        " %-7d    %-10d       %s            %s\t\t     %s",
                        result.size(),
                        result.messages(),
                        peak,
                        mean,
                        rate);
    }

    private String latencyRow(PerfResult result) {
        Latency latency = result.latency();
        if (classic && settings.load().timed()) {
            return String.format(
                    Locale.ROOT,
                    " %-7d       %-10d         %s       %s",
                    result.size(),
                    result.messages(),
                    micros(latency == null ? null : latency.mean()),
                    fixed(result.messagesPerSecond(), 2, -7));
        }
        return String.format(
                Locale.ROOT,
                " %-7d %d          %s        %s      %s  \t       %s     \t%s\t\t%s \t\t%s",
                result.size(),
                result.messages(),
                micros(latency == null ? null : latency.min()),
                micros(latency == null ? null : latency.max()),
                micros(latency == null ? null : latency.p50()),
                micros(latency == null ? null : latency.mean()),
                micros(latency == null ? null : latency.stdev()),
                micros(latency == null ? null : latency.p99()),
                micros(latency == null ? null : latency.p999()));
    }

    private String micros(@Nullable Double nanos) {
        return fixed(nanos == null ? Double.NaN : nanos / NANOS_PER_MICRO, 2, -7);
    }

    /** {@return a number with so many decimal places; a value that was not measured is 0 in the classic format} */
    private String fixed(double value, int digits, int width) {
        if (!Double.isFinite(value) && !classic) {
            return String.format("%" + width + "s", NONE);
        }
        return String.format(Locale.ROOT, "%" + width + "." + digits + "f", Double.isFinite(value) ? value : 0.0);
    }

    /** Columns that perftest does not have. */
    private enum Column {
        P50("p50[usec]"),
        P90("p90[usec]"),
        P99("p99[usec]"),
        P999("p99.9[usec]"),
        P9999("p99.99[usec]"),
        MAX("max[usec]"),
        ALLOCATED("alloc[B/op]"),
        CPU("cpu[sec/GB]"),
        LOST("lost");

        private final String title;

        Column(String title) {
            this.title = title;
        }

        boolean of(PerfPage page) {
            return this != LOST || page.settings.load().type() != QueuePairType.RC;
        }

        String text(PerfResult result) {
            Latency latency = result.latency();
            return switch (this) {
                case P50 -> number(latency == null ? Double.NaN : latency.p50() / NANOS_PER_MICRO, 2);
                case P90 -> number(latency == null ? Double.NaN : latency.p90() / NANOS_PER_MICRO, 2);
                case P99 -> number(latency == null ? Double.NaN : latency.p99() / NANOS_PER_MICRO, 2);
                case P999 -> number(latency == null ? Double.NaN : latency.p999() / NANOS_PER_MICRO, 2);
                case P9999 -> number(latency == null ? Double.NaN : latency.p9999() / NANOS_PER_MICRO, 2);
                case MAX -> number(latency == null ? Double.NaN : latency.max() / NANOS_PER_MICRO, 2);
                case ALLOCATED -> number(result.allocatedPerMessage(), 2);
                case CPU -> number(result.cpuSecondsPerGigabyte(), 3);
                case LOST -> Long.toString(result.lost());
            };
        }

        private static String number(double value, int digits) {
            return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + digits + "f", value) : NONE;
        }
    }
}
