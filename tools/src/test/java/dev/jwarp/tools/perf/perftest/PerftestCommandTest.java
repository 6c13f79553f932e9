package dev.jwarp.tools.perf.perftest;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp perf --peer-protocol perftest")
class PerftestCommandTest {
    private static final String SERVER = "--peer-protocol perftest -p 0 --bind_source_ip 127.0.0.1";

    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "read_bw", "send_bw", "write_lat", "read_lat", "send_lat"})
    @DisplayName("both ends show the page of perftest")
    void bothEndsShowPageOfPerftest(String test) throws Exception {
        try (Run.Background server = Run.inBackground(words("perf " + test + " -s 64 -n 200 " + SERVER))) {
            Run client = Run.of(words("perf " + test + " -s 64 -n 200 --peer-protocol perftest --format classic -p "
                    + port(server) + " 127.0.0.1"));

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out()).containsPattern("(?m)^ 64 +200 ").contains("Data ex. method : rdma_cm");
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out()).contains("* Waiting for client to connect... *");
            if (!test.equals("read_lat")) {
                assertThat(server.run().out()).containsPattern("(?m)^ 64 +200 ");
            }
        }
    }

    @Test
    @DisplayName("a persistent server serves the next one whatever became of the one before")
    void persistentServerServesNextOne() throws Exception {
        try (Run.Background server = Run.inBackground(words("perf send_bw -s 64 -n 100 --persistent " + SERVER))) {
            String client = "perf send_bw -n 100 --peer-protocol perftest -p " + port(server) + " 127.0.0.1 -s ";

            assertThat(Run.of(words(client + 64)).status()).isZero();
            assertThat(Run.of(words(client + 65)).status()).isEqualTo(1);
            assertThat(Run.of(words(client + 64)).status()).isZero();
            server.interrupt();

            assertThat(server.await().status()).as(server.run().toString()).isEqualTo(130);
            assertThat(server.run().out().lines().filter(line -> line.startsWith(" 64 ")))
                    .hasSize(2);
            assertThat(server.run().err()).contains("error: ");
        }
    }

    @Test
    @DisplayName("JSON has the peers version and its figures")
    void jsonHasPeersVersionAndItsFigures() throws Exception {
        try (Run.Background server = Run.inBackground(words("perf write_bw -s 4096 -n 50 --json " + SERVER))) {
            Run client = Run.of(words("perf write_bw -s 4096 -n 50 --json --peer-protocol perftest"
                    + " --bind_source_ip 127.0.0.1 -p " + port(server) + " 127.0.0.1"));

            for (Run end : List.of(client, server.await())) {
                JsonNode document = new ObjectMapper().readTree(end.out());
                assertThat(document.path("status").asText()).as(end.toString()).isEqualTo("ok");
                assertThat(document.path("peer").path("version").asText()).isEqualTo("6.06");
                JsonNode row = document.path("results").path(0);
                assertThat(row.path("msg_size_bytes").asInt()).isEqualTo(4096);
                assertThat(row.path("iterations").asLong()).isEqualTo(50);
                assertThat(row.path("bw_average_mibps").isNumber()
                                || row.path("bw_average_gbps").isNumber())
                        .isTrue();
            }
        }
    }

    @Test
    @DisplayName("who waits says so each interval")
    void whoWaitsSaysSoEachInterval() throws Exception {
        try (Run.Background server = Run.inBackground(words("perf send_lat -n 5 -i 0.05 " + SERVER))) {
            try (Run.Background client = Run.inBackground(
                    words("perf write_lat -n 5 --peer-protocol perftest -p " + port(server) + " 127.0.0.1"))) {
                // Two programs that do not fit wait for each other.
                await().until(() -> server.run().err().contains("jwarp: 0 messages of 2 bytes with 127.0.0.1:"));
                client.interrupt();
                assertThat(client.await().status()).as(client.run().toString()).isEqualTo(130);
            }
            assertThat(server.await().status()).as(server.run().toString()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw -D 2",
                "write_bw -b",
                "write_bw -q 2",
                "write_bw --rate_limit 5",
                "write_bw -l 4",
                "write_bw -I 64",
                "write_bw --warmup 1",
                "write_bw -e",
                "write_bw --self",
                "send_bw -c UD",
                "atomic_lat"
            })
    @DisplayName("what the exchange has no room for is refused by name")
    void whatExchangeHasNoRoomForIsRefusedByName(String flags) {
        Run run = Run.of(words("perf --peer-protocol perftest " + flags));

        List<String> said = new ArrayList<>(List.of(flags.split(" ")));
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err())
                .contains(said.size() > 1 ? said.get(1) : said.get(0))
                .contains("--peer-protocol perftest exclude each other");
    }

    private static String[] words(String line) {
        return line.split(" ");
    }
}
