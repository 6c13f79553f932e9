package dev.jwarp.tools.perf;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jwarp.tools.cli.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON document of a run: docs/perf.schema.json. Units are in the names; a value that was not measured is null.
 *
 * @param tool the test; null if the command line named none
 * @param role {@code client}, {@code server} or {@code self}; null as above
 * @param status {@code ok}, {@code cut} if the other end ended the test, {@code interrupted}, or the exit status in
 *     lower case
 * @param config every setting and flag in force, with the source of its value
 * @param peer the other end; null if there was none
 * @param results a row for each size, or three in a bidirectional test: local, remote, sum
 */
record PerfDocument(
        String schema,
        String version,
        @Nullable String tool,
        @Nullable String role,
        String status,
        int exitStatus,
        Map<String, Json.EffectiveSetting> config,
        @Nullable Peer peer,
        List<Row> results,
        List<Ticker.Interval> intervals,
        Map<String, Long> counters,
        Json.@Nullable Failure error) {
    static final String SCHEMA = "jwarp.perf/1";

    /** The other end. */
    record Peer(String address, String version) {}

    /** One result. */
    record Row(
            String side,
            int msgSizeBytes,
            long iterations,
            long lost,
            double measuredSeconds,
            double warmupSeconds,
            Double bwPeakMibPerS,
            Double bwAverageMibPerS,
            Double bwPeakGbps,
            Double bwAverageGbps,
            Double msgRateMpps,
            @Nullable LatencyUs latencyUs,
            Double allocatedBytesPerOp,
            Double cpuSecondsPerGb,
            Double cpuUtilPercent,
            boolean cut) {
        static Row of(PerfResult result, String basis) {
            double average = result.bytesPerSecond();
            return new Row(
                    result.side().name().toLowerCase(Locale.ROOT),
                    result.size(),
                    result.messages(),
                    result.lost(),
                    result.nanos() / 1e9,
                    result.warmUpNanos() / 1e9,
                    result.peak() / (1 << 20),
                    average / (1 << 20),
                    result.peak() * 8 / 1e9,
                    average * 8 / 1e9,
                    result.messagesPerSecond() / 1e6,
                    result.latency() == null
                            ? null
                            : new LatencyUs(basis, result.latency().inMicroseconds()),
                    result.allocatedPerMessage(),
                    result.cpuSecondsPerGigabyte(),
                    result.cpuPercent(),
                    result.cut());
        }
    }

    /** Latencies in microseconds. */
    record LatencyUs(String basis, @JsonUnwrapped Latency micros) {}

    /** {@return the meaning of a latency; for bandwidth tests the time from posting to completion} */
    static String basis(PerfTest test) {
        return test.latency() ? test.basis() : "completion";
    }
}
