package dev.jwarp.tools.perf;

import static dev.jwarp.tools.perf.PerfSelfTest.document;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.tools.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server and a client, each a command of its own. */
class PerfEndsTest {
    private static final Pattern LISTENING = Pattern.compile("listening on .*:(\\d+)");

    /** A step in which something was sent: on a busy machine the first steps may have nothing. */
    private static final Pattern STEP = Pattern.compile(" bytes, (?!0 messages|0\\.00 )");

    private static Run.Background server(String arguments) {
        List<String> all = new ArrayList<>(List.of("perf"));
        all.addAll(List.of(arguments.split(" ")));
        all.addAll(List.of("-p", "0", "--bind_source_ip", "127.0.0.1"));
        return Run.inBackground(all.toArray(String[]::new));
    }

    private static String port(Run.Background server) {
        await().until(() -> LISTENING.matcher(server.run().err()).find() || server.ended());
        Matcher port = LISTENING.matcher(server.run().err());
        assertThat(port.find()).as(server.run().toString()).isTrue();
        return port.group(1);
    }

    private static String[] client(Run.Background server, String arguments) {
        List<String> all = new ArrayList<>(List.of("perf"));
        all.addAll(List.of(arguments.split(" ")));
        all.addAll(List.of("127.0.0.1", "-p", port(server)));
        return all.toArray(String[]::new);
    }

    private static void awaitAStep(Run.Background client) {
        await().until(() -> STEP.matcher(client.run().err()).find() || client.ended());
    }

    @Test
    @DisplayName("both print the same rows")
    void bothPrintSameRows() throws Exception {
        try (Run.Background server = server("send_bw -e")) {
            Run client = Run.of(client(server, "send_bw -e -n 200 -s 100 --warmup 0.05"));
            Run served = server.await();

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(served.status()).as(served.toString()).isZero();
            assertThat(served.out()).startsWith(System.lineSeparator() + "*".repeat(36));
            assertThat(served.out()).contains("* Waiting for client to connect... *");
            assertThat(row(client)).startsWith(" 100        200 ").isEqualTo(row(served));
        }
    }

    private static String row(Run run) {
        return run.out()
                .lines()
                .filter(line -> line.startsWith(" 100 "))
                .findFirst()
                .orElse(run.toString());
    }

    @Test
    @DisplayName("datagrams are between two commands too")
    void datagramsAreBetweenTwoCommandsToo() throws Exception {
        try (Run.Background server = server("write_lat --json")) {
            // The client's type counts: the server was told none.
            Run client = Run.of(client(server, "write_lat -e -c UD -n 20 --warmup 0 --json"));

            assertThat(document(client).at("/results")).hasSize(1);
            JsonNode served = document(server.await());
            assertThat(served.at("/results/0/side").asText()).isEqualTo("remote");
            assertThat(served.at("/config/perf.connection").toString())
                    .isEqualTo("{\"value\":\"UD\",\"source\":\"peer\"}");
            assertThat(served.at("/peer/address").asText()).startsWith("127.0.0.1");
        }
    }

    @Test
    @DisplayName("what both were told must be the same")
    void whatBothWereToldMustBeSame() throws Exception {
        try (Run.Background server = server("send_bw -s 4096 -q 2 --json")) {
            Run client = Run.of(client(server, "send_bw -q 2 --json"));

            assertThat(client.status()).isEqualTo(4);
            assertThat(client.err()).contains("the server was started with -s 4096, the client with 65536");
            assertThat(document(client).at("/status").asText()).isEqualTo("mismatch");
            Run served = server.await();
            assertThat(served.status()).isEqualTo(4);
            assertThat(served.err()).contains("the server was started with -s 4096, the client with 65536");
            document(served);
        }
    }

    @Test
    @DisplayName("another test is a mismatch")
    void anotherTestIsMismatch() throws Exception {
        try (Run.Background server = server("send_bw")) {
            Run client = Run.of(client(server, "write_lat"));

            assertThat(client.status()).isEqualTo(4);
            assertThat(client.err()).contains("the server runs send_bw, the client write_lat");
            assertThat(server.await().status()).isEqualTo(4);
        }
    }

    @Test
    @DisplayName("a server can stay and turns unknown clients away")
    void serverCanStayAndTurnsUnknownClientsAway() throws Exception {
        try (Run.Background server = server("send_lat -e --persistent")) {
            String port = port(server);
            Run stranger = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1");
            assertThat(stranger.status()).as(stranger.toString()).isEqualTo(3);
            assertThat(Run.of(client(server, "send_bw -e -n 5")).status()).isEqualTo(4);
            for (int i = 0; i < 2; i++) {
                Run client = Run.of(client(server, "send_lat -e -n 10 --warmup 0"));
                assertThat(client.status()).as(client.toString()).isZero();
            }
            server.interrupt();
            Run served = server.await();

            assertThat(served.status()).isEqualTo(130);
            assertThat(served.err()).contains("refused a client").contains("the client send_bw");
            assertThat(served.out().split("Send Latency Test", -1)).hasSize(3);
        }
    }

    @Test
    @DisplayName("a missing target is a fault of the set-up")
    void missingTargetIsFaultOfSetUp() throws Exception {
        Run run = Run.of("perf", "send_bw", "127.0.0.1", "-p", "1", "--json");

        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).contains("refused");
        assertThat(document(run).at("/error/message").asText()).isNotEmpty();
    }

    @Test
    @DisplayName("a server that speaks something else is a mismatch")
    void serverThatSpeaksSomethingElseIsMismatch() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            Run client = Run.of(client(server, "send_bw"));

            assertThat(client.status()).as(client.toString()).isEqualTo(4);
            assertThat(client.err()).contains("is not 'jwarp perf' of this version");
        }
    }

    @Test
    @DisplayName("a client that is interrupted tells what it has and the server ends in order")
    void clientThatIsInterruptedTells() throws Exception {
        try (Run.Background server = server("send_bw -e --json");
                Run.Background client =
                        Run.inBackground(client(server, "send_bw -e -D 600 -s 1000 --warmup 0 -i 0.05 --json"))) {
            awaitAStep(client);
            client.interrupt();
            Run ended = client.await();
            Run served = server.await();

            JsonNode told = document(ended);
            assertThat(ended.status()).as(ended.toString()).isEqualTo(130);
            assertThat(told.at("/status").asText()).isEqualTo("interrupted");
            assertThat(told.at("/results/0/cut").asBoolean()).isTrue();
            assertThat(told.at("/intervals").size()).isPositive();
            assertThat(served.status()).as(served.toString()).isZero();
            assertThat(document(served).at("/results/0/cut").asBoolean()).isTrue();
            assertThat(document(served).at("/status").asText()).isEqualTo("cut");
            assertThat(served.err()).contains("the other end was asked to end (Ctrl-C); 1 row so far");
        }
    }

    @Test
    @DisplayName("a server that is interrupted has the client end in order")
    void serverThatIsInterruptedHasClientEndInOrder() throws Exception {
        try (Run.Background server = server("write_lat -c RC");
                Run.Background client =
                        Run.inBackground(client(server, "write_lat -D 600 --warmup 0 -i 0.05 --json"))) {
            awaitAStep(client);
            server.interrupt();
            Run ended = client.await();

            assertThat(ended.status()).as(ended.toString()).isZero();
            assertThat(document(ended).at("/status").asText()).isEqualTo("cut");
            assertThat(document(ended).at("/results/0/iterations").asLong()).isPositive();
            assertThat(ended.err()).contains("the other end was asked to end (Ctrl-C)");
            assertThat(server.await().status()).isEqualTo(130);
        }
    }

    @Test
    @DisplayName("a server that waits can be interrupted")
    void serverThatWaitsCanBeInterrupted() throws Exception {
        try (Run.Background server = server("read_bw --json")) {
            port(server);
            server.interrupt();

            assertThat(server.await().status()).isEqualTo(130);
            assertThat(document(server.await()).at("/results")).isEmpty();
        }
    }
}
