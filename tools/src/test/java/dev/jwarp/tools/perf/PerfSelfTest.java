package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Whole;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends in one process. Nothing here is fast, and nothing depends on it. */
class PerfSelfTest {
    private static final JsonSchema SCHEMA = JsonSchemaFactory.getInstance(VersionFlag.V202012)
            .getSchema(Path.of("../docs/perf.schema.json").toUri());

    @TempDir
    Path folder;

    static JsonNode document(Run run) throws Exception {
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(SCHEMA.validate(document)).as(run.toString()).isEmpty();
        assertThat(document.at("/exit_status").asInt()).isEqualTo(run.status());
        return document;
    }

    private static Run self(String arguments) {
        return Run.of(("perf --self -i 0 " + arguments).split(" "));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"send_lat -e", "read_lat", "send_lat -e -c UD", "send_lat -e --rate_limit 500 --rate_units p"})
    @DisplayName(
            "Signs of life of a latency test tell the latency of the interval, and how many messages it is of; no bandwidth")
    void latencyAsItGoes(String arguments) throws Exception {
        Run run;
        do {
            run = Run.of(("perf --self -i 0.1 -D 0.4 --warmup 0 --json " + arguments).split(" "));
        } while (!run.err().contains("usec on average")); // as long as no interval has a message: a thread gets no time

        assertThat(run.err().lines().filter(line -> line.contains(" s: ")))
                .as(run.toString())
                .isNotEmpty()
                .noneMatch(line -> line.contains("/sec"))
                .anyMatch(line -> line.matches("jwarp: .* s: 2 bytes, \\d+ messages, \\d+\\.\\d\\d usec on average"));
        JsonNode document = document(run);
        JsonNode row = document.at("/results/0/latency_us");
        // Each interval's mean is of some of the values of the row: none is outside of them.
        for (JsonNode interval : document.at("/intervals")) {
            if (!interval.at("/latency_avg_us").isNull()) {
                assertThat(interval.at("/latency_avg_us").asDouble())
                        .isBetween(
                                row.at("/min").asDouble() * 0.9, row.at("/max").asDouble() * 1.1);
            }
        }
    }

    @Test
    @DisplayName("Signs of life of a bandwidth test have no latency")
    void bandwidthAsItGoes() throws Exception {
        Run run = Run.of("perf --self -i 0.1 -D 0.5 --warmup 0 --json send_bw -e".split(" "));

        assertThat(run.err()).contains("MiB/sec").doesNotContain("usec");
        assertThat(document(run).at("/intervals/0/latency_avg_us").isNull()).isTrue();
    }

    static Stream<Object[]> everyTestRuns() {
        return Whole.rows(
                3,
                "write_bw -e -n 200",
                "read_bw -e -n 200",
                "send_bw -e -n 1000",
                "send_bw -n 200 -s 64",
                "write_lat -n 20",
                "read_lat -e -n 20",
                "send_lat -e -n 20",
                "send_lat -n 20",
                "atomic_lat -e -n 20",
                "atomic_lat -e -n 20 -A CMP_AND_SWAP",
                "write_bw -c UD -e -n 100 -s 1000",
                "read_bw -c UD -e -n 100 -s 1000",
                "send_bw -c UD -e -n 100 -s 5000",
                "write_lat -c UD -e -n 20",
                "read_lat -c UD -e -n 20",
                "send_lat -c UD -e -n 20",
                "write_bw -c RD -e -n 100 -s 1000",
                "read_bw -c RD -e -n 100 -s 1000",
                "send_bw -c RD -e -n 100 -s 5000 -m 9000",
                "write_lat -c RD -e -n 20",
                "read_lat -c RD -e -n 20",
                "send_lat -c RD -e -n 20",
                "write_bw -e -q 3 -n 100",
                "send_bw -e -q 2 -b -n 300",
                "write_bw -e -b -n 100 -s 100 -I 100",
                "send_bw -e -n 1000 -r 8 -t 4 -Q 2 -l 2",
                "send_bw -c UD -e -q 2 -b -n 100 -s 100",
                "send_bw --progress threaded -n 200",
                "write_lat --progress threaded -n 20",
                "send_lat -D 0.3 -e",
                "ib_send_lat -e -n 20",
                "send_lat -e -D 0.3 --rate_limit 200 --rate_units p",
                "write_bw -e -n 20 --rate_limit 1000 --rate_units p -s 10");
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("every test runs")
    void everyTestRuns(String arguments) throws Exception {
        JsonNode document = document(self(arguments + " --warmup 0.02 --json"));

        boolean both = arguments.contains(" -b ");
        JsonNode row = document.at("/results/0");
        assertThat(document.at("/status").asText()).as(document.toString()).isEqualTo("ok");
        assertThat(document.at("/role").asText()).isEqualTo("self");
        assertThat(document.at("/results")).hasSize(both ? 3 : 1);
        assertThat(row.at("/cut").asBoolean()).isFalse();
        assertThat(row.at("/iterations").asLong() + row.at("/lost").asLong()).isPositive();
        assertThat(row.at("/measured_seconds").asDouble()).isPositive();
        assertThat(document.at("/counters").size()).isPositive();
        if (arguments.contains("-n ") && !arguments.contains("-c UD")) {
            long each = Long.parseLong(arguments.replaceAll(".*-n (\\d+).*", "$1"));
            long pairs = arguments.contains("-q ") ? Long.parseLong(arguments.replaceAll(".*-q (\\d+).*", "$1")) : 1;
            assertThat(row.at("/iterations").asLong()).isEqualTo(each * pairs);
            assertThat(row.at("/lost").asLong()).isZero();
        }
        if (both) {
            assertThat(document.findValuesAsText("side")).containsExactly("local", "remote", "sum");
        }
    }

    @Test
    @DisplayName("a latency test tells all percentiles of a timed run too")
    void latencyTestTellsAllPercentilesOfTimedRunToo() throws Exception {
        JsonNode document = document(self("send_lat -e -D 0.2 --warmup 0 --json"));

        JsonNode latency = document.at("/results/0/latency_us");
        assertThat(latency.at("/basis").asText()).isEqualTo("half-rtt");
        assertThat(latency.at("/count").asLong())
                .isEqualTo(document.at("/results/0/iterations").asLong());
        assertThat(latency.at("/min").asDouble())
                .isLessThanOrEqualTo(latency.at("/p50").asDouble());
        assertThat(latency.at("/p50").asDouble())
                .isLessThanOrEqualTo(latency.at("/p99_99").asDouble());
        assertThat(latency.at("/p99_99").asDouble())
                .isLessThanOrEqualTo(latency.at("/max").asDouble());
        assertThat(document.at("/results/0/bw_peak_gbps").isNull()).isTrue();
        assertThat(document(self("read_lat -e -n 5 --warmup 0 --json"))
                        .at("/results/0/latency_us/basis")
                        .asText())
                .isEqualTo("rtt");
    }

    /** A message every 50 ms that is answered at once: what is counted from when it was due is no more than the way. */
    @Test
    @DisplayName("a rate is kept")
    void rateIsKept() throws Exception {
        JsonNode document = document(self("send_lat -e -n 6 --rate_limit 20 --rate_units p --warmup 0 --json"));

        assertThat(document.at("/results/0/measured_seconds").asDouble()).isGreaterThanOrEqualTo(0.25);
    }

    @Test
    @DisplayName("all sizes are 23 results")
    void allSizesAre23Results() throws Exception {
        JsonNode document = document(self("write_bw -a -e -n 3 --warmup 0 --json"));

        assertThat(document.at("/results")).hasSize(23);
        assertThat(document.at("/results/0/msg_size_bytes").asInt()).isEqualTo(2);
        assertThat(document.at("/results/22/msg_size_bytes").asInt()).isEqualTo(8_388_608);
    }

    @Test
    @DisplayName("the effective configuration says where each value comes from")
    void effectiveConfigurationSaysWhereEach() throws Exception {
        JsonNode config = document(self("send_bw -n 50 -s 128 -e --crc off --warmup 0 --json"))
                .at("/config");

        assertThat(config.at("/jwarp.mpa.crc").toString()).isEqualTo("{\"value\":\"off\",\"source\":\"flag\"}");
        assertThat(config.at("/perf.size").toString()).isEqualTo("{\"value\":\"128\",\"source\":\"flag\"}");
        assertThat(config.at("/perf.tx_depth").toString()).isEqualTo("{\"value\":\"128\",\"source\":\"default\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--min-bw 1e12", "--min-msgrate 1e9", "--max-p99 0.0001"})
    @DisplayName("a limit that is missed ends with 1 and the row is told")
    void limitThatIsMissedEndsWith1AndRowIsTold(String limit) throws Exception {
        Run run = self("send_lat -e -n 5 --warmup 0 --json " + limit);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("error: 1 limit was missed");
        assertThat(document(run).at("/results")).hasSize(1);
    }

    @Test
    @DisplayName("a row each so many seconds until the user has seen enough")
    void rowEachSoManySecondsUntilUserHasSeenEnough() throws Exception {
        try (Run.Background run = Run.inBackground(
                "perf",
                "send_lat",
                "--self",
                "-e",
                "-D",
                "0.1",
                "--run_infinitely",
                "--warmup",
                "0",
                "-i",
                "0.05",
                "--json")) {
            await().until(() -> run.run().err().contains(" bytes, ") || run.ended());
            run.interrupt();
            Run ended = run.await();

            assertThat(ended.status()).isEqualTo(130);
            assertThat(document(ended).at("/status").asText()).isEqualTo("interrupted");
        }
    }

    @Test
    @DisplayName("files are written beside the page")
    void filesAreWrittenBesidePage() throws Exception {
        Path json = folder.resolve("r.json");
        Path csv = folder.resolve("r.csv");

        Run run = self("send_bw -e -n 50 --warmup 0 --json-file " + json + " --csv " + csv);

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out()).contains("Send BW Test").contains("#bytes");
        assertThat(Files.readAllLines(csv)).hasSize(2);
        assertThat(Files.readAllLines(csv).get(1)).startsWith("send_bw,RC,local,65536,50,0,");
        assertThat(new ObjectMapper().readTree(json.toFile()).at("/results")).hasSize(1);
    }

    @Test
    @DisplayName("a command line that makes no sense is a document too")
    void commandLineThatMakesNoSenseIsDocumentToo() throws Exception {
        assertThat(document(Run.of("perf", "send_bw", "--json", "-n", "few"))
                        .at("/error/message")
                        .asText())
                .contains("'few' is not a long");
        assertThat(document(Run.of("perf", "send_lat", "--json", "-b"))
                        .at("/error/message")
                        .asText())
                .startsWith("-b is for bandwidth");
        assertThat(document(Run.of("perf", "fly_bw", "--json")).at("/tool").isNull())
                .isTrue();
    }

    @Test
    @DisplayName("one number alone is for scripts")
    void oneNumberAloneIsForScripts() {
        assertThat(self("send_lat -e -n 5 --warmup 0 --output latency").out()).matches("[0-9]+\\.[0-9]{6}\\R");
    }
}
