package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.figure.Svg;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The plot of jwarp perf")
class PerfPlotTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void canDraw() {
        Svg.assumeThatItCanBeDrawn();
    }

    /** {@return title and legend; what stands at the axes is drawn as lines} */
    private List<String> plot(String arguments) throws Exception {
        Path file = folder.resolve("out.svg");
        Run run = Run.of(("perf --self " + arguments + " --warmup 0 --plot " + file).split(" "));
        assertThat(run.status()).as(run.toString()).isZero();
        return Svg.texts(Svg.parse(file));
    }

    @Test
    @DisplayName("of several sizes has bandwidth over the size")
    void bandwidthOverSize() throws Exception {
        assertThat(plot("write_bw -a -e -n 2 -i 0 --report_gbits")).contains("RDMA_Write BW Test, RC", "average");
    }

    @Test
    @DisplayName("of one size that was watched has bandwidth over time")
    void bandwidthOverTime() throws Exception {
        assertThat(plot("write_bw -e -s 1000 -D 0.6 -i 0.1"))
                .contains("RDMA_Write BW Test, RC, 1000 bytes", "of an interval");
    }

    @Test
    @DisplayName("of latencies of several sizes has three shares over the size")
    void latencyOverSize() throws Exception {
        assertThat(plot("send_lat -a -n 2 -i 0")).contains("Send Latency Test, RC", "median", "99 %", "99.9 %");
    }

    @Test
    @DisplayName("of latencies of one size says how they spread")
    void spread() throws Exception {
        assertThat(plot("send_lat -e -n 50 -i 0 -c UD")).contains("Send Latency Test, UD, 2 bytes", "latency");
    }

    @Test
    @DisplayName("is not made of a run that came to nothing")
    void nothing() {
        Path file = folder.resolve("out.svg");

        Run run = Run.of("perf", "write_lat", "-p", "1", "-i", "0", "--plot", file.toString(), "127.0.0.1");

        assertThat(run.status()).isNotZero();
        assertThat(Files.exists(file)).isFalse();
    }
}
