package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Whole;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp loss, on loopback")
class LossTest {
    /** A thread may have to wait for a processor; that shall not look like a loss. */
    private static final String PATIENT = "500";

    /** Of messages of which no part is lost: the time-out is not awaited. */
    private static final String MOST_PATIENT = "10000";

    private static List<JsonNode> rows(String... arguments) throws Exception {
        return rowsWith(PATIENT, arguments);
    }

    private static List<JsonNode> rowsWith(String idle, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("loss", "--json", "--quiet", "--idle", idle, "--limit", "30"));
        all.addAll(List.of(arguments));
        Run run = Run.of(all.toArray(String[]::new));
        assertThat(run.status()).as(run.toString()).isZero();
        List<JsonNode> rows = new ArrayList<>();
        new ObjectMapper().readTree(run.out()).path("result").path("rows").forEach(rows::add);
        return rows;
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"ud-send", "ud-write-record", "ud-read"})
    @DisplayName("Unreliable services deliver the share that independent losses predict")
    void expected(String service) throws Exception {
        int messages = Whole.or(150, 300);
        // A Read that is lost holds its place until its time is over.
        String sizes = service.equals("ud-read") ? "1K,4K" : "1K,16K";
        for (JsonNode row :
                rows("--services", service, "--rates", "5", "--sizes", sizes, "--messages", "" + messages)) {
            double expected = row.path("expected_whole_percent").asDouble() / 100;
            double whole = row.path("whole_percent").asDouble() / 100;
            double deviation = Math.sqrt(expected * (1 - expected) / messages);
            assertThat(row.path("messages").asInt()).isEqualTo(messages);
            assertThat(expected).as(row.toString()).isStrictlyBetween(0.2, 0.96);
            assertThat(whole).as(row.toString()).isCloseTo(expected, within(5 * deviation));
            double valid = row.path("valid_percent").asDouble() / 100;
            double expectedValid = row.path("expected_valid_percent").asDouble() / 100;
            assertThat(valid).as(row.toString()).isCloseTo(expectedValid, within(5 * deviation));
            assertThat(valid).isGreaterThanOrEqualTo(whole);
            assertThat(row.path("whole").asInt()
                            + row.path("partial").asInt()
                            + row.path("lost").asInt())
                    .isEqualTo(messages);
            assertThat(row.path("dropped_by_us").asInt()).isPositive();
        }
    }

    @Test
    @DisplayName("A Write-Record keeps the bytes that a Send discards")
    void worth() throws Exception {
        List<JsonNode> rows =
                rows("--services", "ud-send,ud-write-record", "--rates", "10", "--sizes", "64K", "--messages", "60");

        assertThat(rows.get(0).path("valid_percent").asDouble()).isLessThan(10);
        assertThat(rows.get(1).path("valid_percent").asDouble()).isBetween(85.0, 95.0);
        assertThat(rows.get(1).path("partial").asInt()).isGreaterThan(50);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"rd-send", "rd-write-record"})
    @DisplayName("Reliable datagrams deliver everything and retransmit losses")
    void reliable(String service) throws Exception {
        for (JsonNode row : rows("--services", service, "--rates", "5", "--sizes", "1,16K", "--messages", "100")) {
            assertThat(row.path("whole").asInt()).as(row.toString()).isEqualTo(100);
            assertThat(row.path("valid_percent").asDouble()).isEqualTo(100);
            assertThat(row.path("dropped_by_us").asInt()).isPositive();
        }
    }

    @Test
    @DisplayName("A connection has no loss, and its row says why")
    void connected() throws Exception {
        List<JsonNode> rows =
                rows("--services", "rc-send,rc-write", "--rates", "1,10", "--sizes", "1,64K", "--messages", "50");

        assertThat(rows).hasSize(4).allSatisfy(row -> {
            assertThat(row.path("whole").asInt()).as(row.toString()).isEqualTo(50);
            assertThat(row.path("loss_percent").isNull()).isTrue();
            assertThat(row.path("note").asText()).contains("TCP").contains("nothing is lost");
        });
    }

    @Test
    @DisplayName("The same seed loses the same messages, another seed loses others")
    void seed() throws Exception {
        assertThat(lost("3")).isEqualTo(lost("3")).isNotEqualTo(lost("4"));
    }

    @Test
    @DisplayName(
            "Repeated runs are rows of their own, each with the next seed; a round trip takes as long as is asked for")
    void repeated() throws Exception {
        List<JsonNode> rows = rows(
                "--services",
                "ud-send,rc-send",
                "--rates",
                "20",
                "--sizes",
                "1K",
                "--messages",
                "60",
                "--repeat",
                "2",
                "--rtt",
                "30");

        assertThat(rows).hasSize(4);
        assertThat(rows.get(0).path("run").asInt()).isEqualTo(1);
        assertThat(rows.get(2).path("run").asInt()).isEqualTo(2);
        assertThat(rows.get(0).path("rtt_ms").asDouble()).isEqualTo(30);
        assertThat(rows.get(0).path("load").isNumber()).isTrue();
        assertThat(rows.get(0).path("latency_us").path("p50").asDouble()).isGreaterThan(15_000);
        assertThat(rows.get(1).path("rtt_ms").isNull()).as("TCP is not delayed").isTrue();
        assertThat(rows.get(1).path("note").asText()).contains("nothing is lost or delayed");
        JsonNode again = rows(
                        "--services", "ud-send", "--rates", "20", "--sizes", "1K", "--messages", "60", "--seed", "8")
                .get(0);
        assertThat(rows.get(2).path("whole").asInt())
                .isEqualTo(again.path("whole").asInt());
    }

    private static List<Integer> lost(String seed) throws Exception {
        return rows(
                        "--services",
                        "ud-send,ud-write-record",
                        "--rates",
                        Whole.wanted() ? "5,20" : "20",
                        "--sizes",
                        "1K",
                        "--messages",
                        "500",
                        "--seed",
                        seed)
                .stream()
                .map(row ->
                        row.path("whole").asInt() * 10_000 + row.path("partial").asInt())
                .toList();
    }

    @Test
    @DisplayName("Without loss all messages arrive, with duplicated and reordered datagrams, too")
    void faults() throws Exception {
        List<JsonNode> rows = rowsWith(
                MOST_PATIENT,
                "--services",
                "ud-send,ud-write-record,ud-read,rd-send",
                "--inject",
                "loss=0%,duplicate=20%,reorder=20%",
                "--sizes",
                "1K,16K",
                "--messages",
                "100");

        assertThat(rows)
                .hasSize(8)
                .allSatisfy(row ->
                        assertThat(row.path("whole").asInt()).as(row.toString()).isEqualTo(100));
    }

    @Test
    @DisplayName("Threads of the transport deliver all messages, too")
    void threaded() throws Exception {
        List<JsonNode> rows =
                rowsWith(MOST_PATIENT, "--rates", "0", "--sizes", "16K", "--messages", "50", "--progress", "threaded");

        assertThat(rows)
                .hasSize(7)
                .allSatisfy(row ->
                        assertThat(row.path("whole").asInt()).as(row.toString()).isEqualTo(50));
    }

    @Test
    @DisplayName("The table, the CSV file and the JSON file have the same rows and description")
    void files(@TempDir Path folder) throws Exception {
        Path csv = folder.resolve("rows.csv");
        Path json = folder.resolve("rows.json");
        Run run = Run.of(("loss --quiet --services ud-send,rc-send --rates 0 --sizes 1K --messages 20 --csv " + csv
                        + " --json-file " + json)
                .split(" "));

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out())
                .startsWith("loopback, one process; losses and delays by the injector")
                .containsPattern("TCP with the system's congestion control, [a-z]+");
        assertThat(run.out()).contains("jwarp loss --rates 0 --sizes 1K --services ud-send,rc-send --messages 20");
        assertThat(run.out()).contains("UD send ", "RC send ", "[1] TCP");
        List<String> lines = Files.readAllLines(csv);
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).startsWith("# loopback");
        int columns = lines.get(2).split(",").length;
        assertThat(lines.get(3).split(",", -1)).hasSize(columns);
        JsonNode document = new ObjectMapper().readTree(json.toFile());
        assertThat(document.path("schema").asText()).isEqualTo("jwarp.loss/1");
        assertThat(document.path("result").path("rows")).hasSize(2);
        assertThat(document.path("result").path("where").asText()).contains("loopback");
    }

    @Test
    @DisplayName(
            "A row that its time limit cuts has the status cut, as has the document; none of its messages counts as lost")
    void cut() throws Exception {
        Run run = Run.of(
                "loss --json --quiet --services rd-send --rates 0 --sizes 1 --messages 100000 --limit 0.2".split(" "));

        assertThat(run.status()).as(run.toString()).isZero();
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(document.path("status").asText()).isEqualTo("cut");
        JsonNode row = document.path("result").path("rows").path(0);
        assertThat(row.path("status").asText()).isEqualTo("cut");
        assertThat(row.path("note").asText()).contains("time limit");
        assertThat(row.path("messages").asInt()).isBetween(1, 99_999);
        assertThat(row.path("lost").asInt()).isZero();
        assertThat(row.path("whole").asInt() + row.path("unfinished").asInt())
                .isEqualTo(row.path("messages").asInt());
    }

    @Test
    @DisplayName("Ctrl-C shows the rows that are done, and ends with 130")
    void interrupted() throws Exception {
        try (Run.Background run =
                Run.inBackground("loss", "--messages", "500", "--services", "rd-send,rd-write-record")) {
            await().until(() -> run.run().err().matches("(?s).*jwarp: [1-9][0-9]* of .*"));
            run.interrupt();
            Run ended = run.await();
            assertThat(ended.status()).as(ended.toString()).isEqualTo(130);
            assertThat(ended.out()).contains("RD send ");
        }
    }
}
