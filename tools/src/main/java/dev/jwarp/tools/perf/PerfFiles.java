package dev.jwarp.tools.perf;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /** A row of the document, with the values that all rows share. */
    private record CsvRow(
            String test, String connection, @JsonUnwrapped PerfDocument.Row row) {}

    /** {@return a header and the rows; the cell of a value that was not measured is empty} */
    static List<String> lines(PerfSettings settings, List<PerfResult> results) {
        String latency = Stream.of("min", "mean", "stdev", "p50", "p90", "p99", "p99_9", "p99_99", "max")
                .map(name -> name + "_us=latency_us/" + name)
                .collect(Collectors.joining(","));
        return Json.csv(
                6,
                "test,connection,side,msg_size_bytes,iterations,lost,measured_seconds,warmup_seconds,bw_peak_mib_per_s,"
                        + "bw_average_mib_per_s,msg_rate_mpps,latency_basis=latency_us/basis," + latency
                        + ",allocated_bytes_per_op,cpu_seconds_per_gb,cpu_util_percent,cut",
                results.stream()
                        .map(result -> new CsvRow(
                                settings.test().word(),
                                settings.load().type().name(),
                                PerfDocument.Row.of(result, PerfDocument.basis(settings.test()))))
                        .toList());
    }
}
