package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.perf.PerfResult.Side;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The page, octet for octet: scripts that read perftest's read this. */
class PerfPageTest {
    private static final Latency LATENCY =
            new Latency(1000, 5000, 7250, 410.5, 7000, 7800, 9120, 15_500, 40_000, 41_000);

    private static PerfResult result(int size, long messages, long nanos, double peak, Latency latency) {
        return new PerfResult(Side.LOCAL, size, messages, 0, nanos, 0, peak, latency, 0, 2_000_000_000L, false);
    }

    private static String row(PerfResult result, String... flags) {
        return new PerfPage(Parsed.settings(flags)).row(result);
    }

    private static String header(String... flags) throws Exception {
        List<String> head = new PerfPage(Parsed.settings(flags)).head(head());
        return head.get(head.size() - 1);
    }

    private static PageHead head() throws Exception {
        InetAddress host = InetAddress.getByName("10.0.0.1");
        return new PageHead(
                "jwarp0",
                1500,
                true,
                List.of(new PageHead.Endpoint(2, 0x1fffbd, 0x7255bb410000L, host)),
                List.of(new PageHead.Endpoint(3, 0x2000be, 0x7e0751410000L, host)));
    }

    @Test
    @DisplayName("the block above the rows is that of perftest")
    void blockAboveRowsIsThatOfPerftest() throws Exception {
        assertThat(new PerfPage(Parsed.settings("write_bw", "h", "--format", "classic")).head(head()))
                .containsExactly(
                        "-".repeat(87),
                        "                    RDMA_Write BW Test",
                        " Dual-port       : OFF\t\tDevice         : jwarp0",
                        " Number of qps   : 1\t\tTransport type : IW",
                        " Connection type : RC\t\tUsing SRQ      : OFF",
                        " TX depth        : 128",
                        " CQ Moderation   : 32",
                        " Mtu             : 1500[B]",
                        " Link type       : Ethernet",
                        " Max inline data : 0[B]",
                        " rdma_cm QPs\t : ON",
                        " Data ex. method : rdma_cm",
                        "-".repeat(87),
                        " local address: LID 0000 QPN 0x0002 PSN 0x000000 RKey 0x1fffbd VAddr 0x007255bb410000",
                        " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01",
                        " remote address: LID 0000 QPN 0x0003 PSN 0x000000 RKey 0x2000be VAddr 0x007e0751410000",
                        " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01",
                        "-".repeat(87),
                        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]");
    }

    @Test
    @DisplayName("a row of bandwidth is that of perftest")
    void rowOfBandwidthIsThatOfPerftest() throws Exception {
        PerfResult result = result(65_536, 5000, 28_331_000L, 11_030.78 * (1 << 20), null);

        assertThat(row(result, "write_bw", "--format", "classic"))
                .isEqualTo(" 65536      5000             11030.78            11030.32\t\t     0.176485");
        assertThat(row(result, "write_bw", "--format", "classic", "--report_gbits"))
                .isEqualTo(" 65536      5000             92.53              92.53  \t\t     0.176485");
        assertThat(header("write_bw", "h", "--format", "classic", "--report_gbits", "--cpu_util"))
                .isEqualTo(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
                        + "    CPU_Util[%]");
    }

    @Test
    @DisplayName("little bandwidth has more digits and no peak is 0 as in perftest")
    void littleBandwidthHasMoreDigits() {
        PerfResult result = result(2, 1000, 1_000_000_000L, Double.NaN, null);

        assertThat(row(result, "write_bw", "--format", "classic", "--report_gbits"))
                .isEqualTo(" 2          1000           0.000000            0.000016            0.001000");
        assertThat(row(result, "write_bw", "--report_gbits")).startsWith(" 2          1000           -      ");
    }

    @Test
    @DisplayName("a row of latency is that of perftest")
    void rowOfLatencyIsThatOfPerftest() throws Exception {
        PerfResult result = result(2, 1000, 14_500_000L, Double.NaN, LATENCY);

        assertThat(row(result, "send_lat", "--format", "classic"))
                .isEqualTo(" 2       1000          5.00           41.00        7.00     \t       7.25   "
                        + "     \t0.41   \t\t9.12    \t\t15.50  ");
        assertThat(header("send_lat", "h", "--format", "classic"))
                .isEqualTo(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
                        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ");
        assertThat(header("send_lat", "h", "--format", "classic", "-D", "1"))
                .isEqualTo(" #bytes        #iterations       t_avg[usec]    tps average");
    }

    @Test
    @DisplayName("what perftest does not have stands on the right")
    void whatPerftestDoesNotHaveStandsOnRight() throws Exception {
        PerfResult result = result(2, 1000, 14_500_000L, Double.NaN, LATENCY);
        String classic = row(result, "send_lat", "--format", "classic");

        assertThat(header("send_lat", "h"))
                .endsWith("   p50[usec]   p90[usec]   p99[usec]   p99.9[usec]   p99.99[usec]   max[usec]"
                        + "   alloc[B/op]   cpu[sec/GB]");
        assertThat(header("send_lat", "h", "-c", "UD")).endsWith("   cpu[sec/GB]   lost");
        assertThat(row(result, "send_lat"))
                .isEqualTo(classic
                        + "        7.00        7.80        9.12         15.50          40.00       41.00"
                        + "          0.00   1000000.000");
    }

    @Test
    @DisplayName("one number is one number")
    void oneNumberIsOneNumber() {
        List<String> lines = new ArrayList<>();
        PerfReporter reporter = new PerfReporter(Parsed.settings("send_lat", "--output", "latency"), lines::add);

        reporter.row(List.of(result(2, 1000, 14_500_000L, Double.NaN, LATENCY)));
        reporter.end();

        assertThat(lines).containsExactly("7.250000");
    }

    @Test
    @DisplayName("each row is judged")
    void eachRowIsJudged() {
        PerfReporter reporter = new PerfReporter(
                Parsed.settings("send_bw", "-a", "--min-bw", "1000", "--min-msgrate", "0.0001", "--max-p99", "9"),
                line -> {});
        reporter.row(List.of(result(65_536, 5000, 28_331_000L, 1, LATENCY)));
        reporter.row(List.of(result(2, 5000, 28_331_000L, 1, null)));

        assertThatThrownBy(reporter::check).isInstanceOfSatisfying(ToolFailure.class, failure -> {
            assertThat(failure.status().code()).isEqualTo(1);
            assertThat(failure.sentence()).isEqualTo("3 limits were missed");
            assertThat(failure.details())
                    .containsExactly(
                            "65536 bytes: 99th percentile 9.12 usec, the limit is 9.0",
                            "2 bytes: bandwidth 0.336619 MiB/sec, less than 1000.0",
                            "2 bytes: 99th percentile was not measured, the limit is 9.0");
        });
    }

    @Test
    @DisplayName("all latencies can be dumped")
    void allLatenciesCanBeDumped() {
        List<String> lines = new ArrayList<>();
        Histogram nanos = Latency.histogram();
        nanos.recordValue(1000);
        nanos.recordValue(2000);
        nanos.recordValue(2000);

        new PerfReporter(Parsed.settings("send_lat", "-H"), lines::add).histogram(nanos, 0.5);

        assertThat(lines).containsExactly(" usec, times:", " 0.500, 1", " 1.000, 2");
    }
}
