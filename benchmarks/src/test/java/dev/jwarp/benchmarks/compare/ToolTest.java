package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a tool of others prints")
class ToolTest {
    private static final String UCX = """
            iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
             20000,6.503,21.799,21.799,2.80,2.80,45873,45873
            """;

    @Test
    @DisplayName("is a way, not a round trip, in the latencies of ucx_perftest")
    void ucxLatency() throws IOException {
        Figures figures = UcxPerftest.parse(UCX, "tag_lat", 64);
        assertThat(Metric.P50.of(figures)).isCloseTo(13.006, within(0.02));
        assertThat(Metric.MEAN.of(figures)).isCloseTo(43.598, within(0.001));
    }

    @Test
    @DisplayName("is a message in its bandwidths")
    void ucxBandwidth() throws IOException {
        Figures figures = UcxPerftest.parse(UCX, "tag_bw", 65536);
        assertThat(Metric.RATE.of(figures)).isCloseTo(65536 / 21.799, within(0.1));
    }

    @Test
    @DisplayName("is a way in the averages of fi_pingpong")
    void libfabric() throws IOException {
        String output = """
                bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
                64      2k      =2k      250k        0.02s     11.87       5.39       0.19
                """;
        assertThat(Metric.MEAN.of(FiPingpong.parse(output, 2_000, 64))).isCloseTo(10.78, within(0.001));
    }

    @Test
    @DisplayName("is what came in iperf3's report")
    void iperf() throws IOException {
        String output = """
                {"end": {"sum_received": {"start": 0, "seconds": 0.5, "bytes": 1000000000, "x": 1}}}
                """;
        assertThat(Metric.RATE.of(Iperf.parse(output))).isCloseTo(2_000, within(0.001));
    }

    @Test
    @DisplayName("is quoted if it is no figures")
    void nonsense() {
        assertThatThrownBy(() -> UcxPerftest.parse("no such device", "tag_lat", 64))
                .hasMessageContaining("no such device");
        assertThatThrownBy(() -> FiPingpong.parse("fi_getinfo failed", 1, 64))
                .hasMessageContaining("fi_getinfo failed");
        assertThatThrownBy(() -> Iperf.parse("{\"error\":1}")).hasMessageContaining("iperf3");
    }
}
