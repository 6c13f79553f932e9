package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes results into files: CSV, JSON, a figure. */
final class PerfFiles {
    private PerfFiles() {}

    /**
     * Writes the rows and the figure.
     *
     * @param csv null for none
     * @param plot null for none
     */
    static void write(
            @Nullable Path csv,
            @Nullable Path plot,
            PerfSettings settings,
            List<PerfResult> results,
            List<Ticker.Interval> intervals) {
        try {
            if (csv != null) {
                Files.write(csv, lines(settings, results));
            }
            if (plot != null && !results.isEmpty()) {
                Drawing.svg(PerfFigure.of(settings, results, intervals), plot, "jwarp perf");
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the results cannot be written: " + e);
        }
    }

    /** Writes the document of {@code --json}. */
    static void write(Path file, Object document) {
        try {
            Files.writeString(file, Json.text(document) + System.lineSeparator());
        } catch (IOException e) {
            throw ToolFailure.setup("the results cannot be written: " + e);
        }
    }

    /** {@return a header and the rows; what was not measured is empty} */
    static List<String> lines(PerfSettings settings, List<PerfResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "test,connection,side,msg_size_bytes,iterations,lost,measured_seconds,warmup_seconds,"
                        + "bw_peak_mib_per_s,bw_average_mib_per_s,msg_rate_mpps,latency_basis,min_us,mean_us,stdev_us,p50_us,"
                        + "p90_us,p99_us,p99_9_us,p99_99_us,max_us,allocated_bytes_per_op,cpu_seconds_per_gb,cpu_util_percent,cut");
        for (PerfResult result : results) {
            PerfDocument.Row row = PerfDocument.Row.of(result, PerfDocument.basis(settings.test()));
            PerfDocument.LatencyUs latency = row.latencyUs();
            lines.add(String.join(
                    ",",
                    settings.test().word(),
                    settings.load().type().name(),
                    row.side(),
                    Integer.toString(row.msgSizeBytes()),
                    Long.toString(row.iterations()),
                    Long.toString(row.lost()),
                    cell(row.measuredSeconds()),
                    cell(row.warmupSeconds()),
                    cell(row.bwPeakMibPerS()),
                    cell(row.bwAverageMibPerS()),
                    cell(row.msgRateMpps()),
                    latency == null ? "" : latency.basis(),
                    cell(latency == null ? null : latency.min()),
                    cell(latency == null ? null : latency.mean()),
                    cell(latency == null ? null : latency.stdev()),
                    cell(latency == null ? null : latency.p50()),
                    cell(latency == null ? null : latency.p90()),
                    cell(latency == null ? null : latency.p99()),
                    cell(latency == null ? null : latency.p999()),
                    cell(latency == null ? null : latency.p9999()),
                    cell(latency == null ? null : latency.max()),
                    cell(row.allocatedBytesPerOp()),
                    cell(row.cpuSecondsPerGb()),
                    cell(row.cpuUtilPercent()),
                    Boolean.toString(row.cut())));
        }
        return lines;
    }

    private static String cell(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? "" : String.format(Locale.ROOT, "%.6f", value);
    }
}
