package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.perf.PerfSettings.Format;
import dev.jwarp.tools.perf.PerfSettings.Output;
import dev.jwarp.tools.perf.PerfSettings.Reporting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the output: content, format and files. */
final class PerfOutputs {
    @Option(
            names = "--format",
            paramLabel = "extended|classic",
            description = "Format of the page: that of perftest with more columns on the right (default), or that of"
                    + " perftest.")
    private Format format = Format.EXTENDED;

    @Option(
            names = "--output",
            paramLabel = "WHAT",
            description = "Print only one number for each row: the average bandwidth, message_rate or latency.")
    private Output output = Output.PAGE;

    @Option(names = "--report_gbits", description = "Bandwidth in Gb/sec (10^9 bits), not MiB/sec (2^20 bytes).")
    private boolean gbits;

    @Option(names = "--report-both", description = "With -b: a row for each direction, too.")
    private boolean both;

    @Option(
            names = {"-N", "--no_peak-bw"},
            description = "Do not measure the peak bandwidth.")
    private boolean noPeak;

    @Option(names = "--cpu_util", description = "Add a column with the processor use of this process; 100 is one core.")
    private boolean cpuUtil;

    @Option(
            names = {"-H", "--report-histogram"},
            description = "Print the histogram of all latencies: microseconds and count.")
    private boolean histogram;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Seconds between lines on standard error, default 1; 0 for none.")
    private @Nullable Double interval;

    @Option(
            names = {"-w", "--min-bw", "--limit_bw"},
            paramLabel = "BANDWIDTH",
            description = "Fail if the bandwidth of a row is less, in the unit of the page.")
    private @Nullable Double minBandwidth;

    @Option(
            names = {"-y", "--min-msgrate", "--limit_msgrate"},
            paramLabel = "MPPS",
            description = "Fail if a row has fewer million messages a second.")
    private @Nullable Double minMessageRate;

    @Option(names = "--max-p99", paramLabel = "USEC", description = "Fail if the 99th percentile of a row is more.")
    private @Nullable Double maxP99;

    @Option(
            names = {"--json-file", "--out_json_file"},
            paramLabel = "FILE",
            description = "Write the document of --json to a file, in addition to the page.")
    private @Nullable Path jsonFile;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows as comma-separated values, too.")
    private @Nullable Path csv;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Draw bandwidth over size or time, or latency, as SVG.")
    private @Nullable Path plot;

    /** Made by picocli. */
    PerfOutputs() {}

    /** {@return the settings of the output, checked} */
    Reporting reporting(PerfTest test, boolean bidirectional, boolean infinite) {
        if (both && !bidirectional) {
            throw ToolFailure.usage("--report-both needs -b: otherwise there is one direction");
        }
        if (output == Output.LATENCY && !test.latency()) {
            throw ToolFailure.usage("--output latency is for latency tests");
        }
        if (histogram && infinite) {
            throw ToolFailure.usage("-H and --run_infinitely exclude each other");
        }
        for (Path file : new Path[] {jsonFile, csv, plot}) {
            if (file != null
                    && (Files.isDirectory(file)
                            || !Files.isDirectory(file.toAbsolutePath().resolveSibling("")))) {
                throw ToolFailure.usage(file + ": the folder does not exist, or the file is a folder");
            }
        }
        if (plot != null) {
            Drawing.check("");
        }
        Duration every = Timeout.seconds("-i", interval == null ? 1 : interval);
        return new Reporting(
                format, output, gbits, both, !noPeak, cpuUtil, histogram, every, minBandwidth, minMessageRate, maxP99);
    }

    @Nullable
    Path jsonFile() {
        return jsonFile;
    }

    @Nullable
    Path csv() {
        return csv;
    }

    @Nullable
    Path plot() {
        return plot;
    }
}
