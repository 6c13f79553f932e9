package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.perf.PerfReporter;
import dev.jwarp.tools.perf.PerfResult;
import dev.jwarp.tools.perf.PerfSettings;
import dev.jwarp.tools.perf.PerfTest;
import dev.jwarp.verbs.QueuePairType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PerftestPageTest {
    private final List<String> lines = new ArrayList<>();
    private final PerfReporter reporter = new PerfReporter(settings(), lines::add);

    @Test
    @DisplayName("the clients report is read by its rate whatever its unit of bandwidth")
    void clientsReportIsReadByItsRate() {
        page(PerftestProgram.WRITE_BW).reported(new BandwidthReport(65_536, 5_000, 18.0, 9.0, 0.02));

        PerfResult row = reporter.results().get(0);
        assertThat(row.bytesPerSecond()).isCloseTo(65_536 * 20_000.0, Offset.offset(1.0));
        assertThat(row.peak()).isCloseTo(2 * 65_536 * 20_000.0, Offset.offset(1.0));
        assertThat(row.side()).isEqualTo(PerfResult.Side.REMOTE);
        assertThat(row.messages()).isEqualTo(5_000);
    }

    @Test
    @DisplayName("a peak of 0 was not measured")
    void peakOf0WasNotMeasured() {
        page(PerftestProgram.WRITE_BW).reported(new BandwidthReport(64, 10, 0, 9.0, 0.02));

        assertThat(reporter.results().get(0).peak()).isNaN();
    }

    @Test
    @DisplayName("nonsense is no row")
    void nonsenseIsNoRow() {
        page(PerftestProgram.WRITE_BW).reported(BandwidthReport.NOTHING);

        assertThat(lines).isEmpty();
    }

    @Test
    @DisplayName("there and back counts half")
    void thereAndBackCountsHalf() {
        PerftestPage page = page(PerftestProgram.SEND_LAT);
        page.latencySample(8_000);
        page.latencySample(12_000);
        page.latency(64, 3, 30_000);
        page.latencySample(100);
        page.latency(128, 2, 200);

        assertThat(reporter.results().get(0).latency().mean()).isCloseTo(5_000, Offset.offset(50.0));
        assertThat(reporter.results().get(1).latency().count()).isEqualTo(1);
    }

    @Test
    @DisplayName("a read counts whole")
    void readCountsWhole() {
        PerftestPage page = page(PerftestProgram.READ_LAT);
        page.latencySample(8_000);
        page.latency(64, 1, 8_000);

        assertThat(reporter.results().get(0).latency().min()).isCloseTo(8_000, Offset.offset(50.0));
    }

    private PerftestPage page(PerftestProgram program) {
        return new PerftestPage(reporter, program, "jwarp0", 1500);
    }

    private static PerfSettings settings() {
        return new PerfSettings(
                PerfTest.WRITE_BW,
                new PerfSettings.Place(null, null, false, 1, 0, false, Ends.LIMIT, PerfSettings.PeerProtocol.PERFTEST),
                new PerfSettings.Load(
                        QueuePairType.RC,
                        64,
                        false,
                        1,
                        Duration.ZERO,
                        false,
                        Duration.ZERO,
                        1,
                        false,
                        1,
                        0,
                        0,
                        PerfSettings.RateUnit.M,
                        PerfSettings.AtomicKind.FETCH_AND_ADD),
                new PerfSettings.Queues(1, 1, 1, 1, 0, false),
                new PerfSettings.Reporting(
                        PerfSettings.Format.CLASSIC,
                        PerfSettings.Output.PAGE,
                        false,
                        false,
                        true,
                        false,
                        false,
                        Duration.ZERO,
                        null,
                        null,
                        null),
                Map.of(),
                Set.of());
    }
}
