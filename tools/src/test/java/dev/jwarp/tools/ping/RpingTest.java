package dev.jwarp.tools.ping;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import dev.jwarp.tools.Snapshot.Mask;
import dev.jwarp.vectors.HeldPort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("rping, both ends over loopback")
class RpingTest {
    private static final Mask TIMES = new Mask("time [0-9.]+(ns|us|ms|s)\\b", "time TIME");
    private static final Mask RTT = new Mask("max = [0-9./]+us", "max = RTT");
    private static final Mask PORT = new Mask("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT");

    @ParameterizedTest(name = "server {0}, client {1}")
    @CsvSource({"inline, inline", "threaded, threaded", "inline, threaded", "threaded, inline"})
    @DisplayName("both ends show what the original shows")
    void bothEndsShowWhatOriginalShows(String serverProgress, String clientProgress) throws Exception {
        try (Run.Background server = Run.inBackground(
                "rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v", "-V", "--progress", serverProgress)) {
            Run client = Run.of(
                    "rping",
                    "-c",
                    "-a",
                    "127.0.0.1",
                    "-p",
                    port(server),
                    "-C",
                    "3",
                    "-v",
                    "-V",
                    "--progress",
                    clientProgress);

            Snapshot.assertMatches("rping-client", client, TIMES, RTT, PORT);
            Snapshot.assertMatches("rping-server", server.await(), TIMES, RTT, PORT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {27, 28, 64, 1_459, 4_096, 65_534, 65_535})
    @DisplayName("every size of the original comes back whole")
    void everySizeOfOriginalComesBackWhole(int size) throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-V")) {
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port(server), "-C", "5", "-V", "-S", "" + size);

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out()).contains("5 rounds, 5 validated, 0 failed");
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out()).contains("5 rounds, 5 validated, 0 failed");
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"--crc off", "--markers", "--peer-to-peer", "--set jwarp.mpa.revision=1", "-q", "-I 127.0.0.1"})
    @DisplayName("every way to connect works")
    void everyWayToConnectWorks(String flags) throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            String all = "rping -c -a 127.0.0.1 -C 10 -V -p " + port(server) + " " + flags;
            Run client = Run.of(all.split(" "));

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out()).contains("10 rounds, 10 validated, 0 failed");
            assertThat(server.await().status()).isZero();
        }
    }

    @Test
    @DisplayName("without validation the statistics claim none")
    void withoutValidationStatisticsClaimNone() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port(server), "-C", "1");

            assertThat(client.out()).contains("1 round, 0 validated, 0 failed");
        }
    }

    @Test
    @DisplayName("IPv6 works")
    void ipv6Works() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "::0", "-p", "0")) {
            Run client = Run.of("rping", "-c", "-a", "::1", "-p", port(server), "-C", "2", "-V");

            assertThat(client.status()).as(client.toString()).isZero();
            assertThat(client.out()).contains("2 rounds, 2 validated");
        }
    }

    @Test
    @DisplayName("JSON is one document at each end")
    void jsonIsOneDocumentAtEachEnd() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "--json", "-v")) {
            Run client = Run.of(
                    "rping",
                    "-c",
                    "-a",
                    "127.0.0.1",
                    "-p",
                    port(server),
                    "-C",
                    "7",
                    "-V",
                    "-v",
                    "--json",
                    "--crc",
                    "off");

            JsonNode mine = new ObjectMapper().readTree(client.out());
            assertThat(mine.path("schema").asText()).isEqualTo("jwarp.rping/1");
            assertThat(mine.path("status").asText()).isEqualTo("ok");
            assertThat(mine.path("result").path("role").asText()).isEqualTo("client");
            assertThat(mine.path("result").path("ping").path("rounds").asInt()).isEqualTo(7);
            assertThat(mine.path("result")
                            .path("ping")
                            .path("rtt_us")
                            .path("p99")
                            .asDouble())
                    .isPositive();
            assertThat(mine.path("config").path("jwarp.mpa.crc").path("value").asText())
                    .isEqualTo("off");
            assertThat(mine.path("config").path("jwarp.mpa.crc").path("source").asText())
                    .isEqualTo("flag");
            assertThat(mine.path("error").isNull()).isTrue();
            JsonNode theirs = new ObjectMapper().readTree(server.await().out());
            assertThat(theirs.path("result").path("ping").path("rounds").asInt())
                    .isEqualTo(7);
            assertThat(theirs.path("result").path("ping").path("rtt_us").isNull())
                    .isTrue();
        }
    }

    @Test
    @DisplayName("without a listener it ends with 3 and says refused")
    void withoutListenerItEndsWith3AndSaysRefused() throws Exception {
        try (HeldPort port = new HeldPort()) {
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + port.number(), "-C", "1");

            assertThat(client.status()).as(client.toString()).isEqualTo(3);
            assertThat(client.err())
                    .containsIgnoringCase("refused")
                    .doesNotContain("Exception")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    @DisplayName("an unknown host ends with 3")
    void unknownHostEndsWith3() {
        Run client = Run.of("rping", "-c", "-a", "no-such-host.invalid", "-C", "1");

        assertThat(client.status()).as(client.toString()).isEqualTo(3);
        assertThat(client.err()).contains("there is no host 'no-such-host.invalid'");
    }

    @Test
    @DisplayName("no host at all ends with 3")
    void noHostAtAllEndsWith3() {
        Run client = Run.of("rping", "-c", "-a", "", "-C", "1");

        assertThat(client.status()).as(client.toString()).isEqualTo(3);
        assertThat(client.err()).contains("there is no host ''");
    }

    @ParameterizedTest
    @CsvSource({"::1, 127.0.0.1", "127.0.0.1, ::1"})
    @DisplayName("addresses of two families end with 3 and a sentence")
    void addressesOfTwoFamiliesEndWith3AndSentence(String server, String own) {
        Run client = Run.of("rping", "-c", "-a", server, "-I", own, "-C", "1");

        assertThat(client.status()).as(client.toString()).isEqualTo(3);
        assertThat(client.err()).contains("one is an address of IPv4, the other of IPv6");
    }

    @Test
    @DisplayName("a busy port ends with 3 and a sentence")
    void busyPortEndsWith3AndSentence() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Run server = Run.of("rping", "-s", "-a", "127.0.0.1", "-p", "" + taken.getLocalPort());

            assertThat(server.status()).as(server.toString()).isEqualTo(3);
            assertThat(server.err()).contains("" + taken.getLocalPort()).doesNotContain("Exception");
        }
    }

    @Test
    @DisplayName("a peer that speaks no MPA ends the client with a sentence")
    void peerThatSpeaksNoMpaEndsClientWithSentence() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answer = new Thread(() -> {
                try (var peer = web.accept()) {
                    peer.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n"
                                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                    peer.getInputStream().readAllBytes();
                } catch (java.io.IOException e) {
                    // The client may reset the connection.
                }
            });
            answer.start();
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + web.getLocalPort(), "-C", "1");
            answer.join();

            assertThat(client.status()).as(client.toString()).isEqualTo(4);
            assertThat(client.err()).doesNotContain("Exception");
        }
    }

    @Test
    @DisplayName("a peer that never answers ends the client in time")
    void peerThatNeverAnswersEndsClientInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Run client = Run.of(
                    "rping", "-c", "-a", "127.0.0.1", "-p", "" + silent.getLocalPort(), "-C", "1", "--timeout", "0.5");

            assertThat(client.status()).as(client.toString()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("a server without client ends in time if told to")
    void serverWithoutClientEndsInTimeIfToldTo() {
        Run server = Run.of("rping", "-s", "-a", "127.0.0.1", "-p", "0", "--timeout", "0.2");

        assertThat(server.status()).as(server.toString()).isEqualTo(3);
        assertThat(server.err()).contains("no client came");
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("a server stopped in the middle ends the client with 1 and a sentence")
    void serverStoppedInMiddleEnds(String progress) throws Exception {
        try (Run.Background server =
                        Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v", "--progress", progress);
                Run.Background client = Run.inBackground(
                        "rping", "-c", "-a", "127.0.0.1", "-p", port(server), "--progress", progress)) {
            await().until(() -> server.run().out().contains("rdma-ping-100: "));
            server.interrupt();

            assertThat(server.await().status()).as(server.run().err()).isEqualTo(130);
            assertThat(server.run().out()).containsPattern("\\d+ rounds, 0 validated, 0 failed");
            assertThat(client.await().status()).as(client.run().toString()).isEqualTo(1);
            assertThat(client.run().err())
                    .containsPattern("error: 127\\.0\\.0\\.1:\\d+ closed the connection after \\d+ rounds")
                    .doesNotContain("Exception")
                    .doesNotContain("\tat ");
            assertThat(client.run().out()).contains("rping statistics ---");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("Ctrl c at the client shows the statistics and the server sees a clean end")
    void ctrlCAtClientShows(String progress) throws Exception {
        try (Run.Background server =
                        Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v", "--progress", progress);
                Run.Background client = Run.inBackground(
                        "rping", "-c", "-a", "127.0.0.1", "-p", port(server), "--json", "--progress", progress)) {
            await().until(() -> server.run().out().contains("rdma-ping-100: "));
            client.interrupt();

            assertThat(client.await().status()).as(client.run().toString()).isEqualTo(130);
            JsonNode document = new ObjectMapper().readTree(client.run().out());
            assertThat(document.path("status").asText()).isEqualTo("interrupted");
            assertThat(document.path("result").path("ping").path("rounds").asLong())
                    .isGreaterThan(100);
            assertThat(server.await().status()).as(server.run().err()).isZero();
        }
    }

    @Test
    @DisplayName("a client with an interval sees at once that the server goes")
    void clientWithIntervalSeesAtOnceThatServerGoes() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v");
                Run.Background client =
                        Run.inBackground("rping", "-c", "-a", "127.0.0.1", "-p", port(server), "-i", "3600")) {
            await().until(() -> server.run().out().contains("rdma-ping-0: "));
            server.interrupt();

            assertThat(client.await().status()).as(client.run().toString()).isEqualTo(1);
            assertThat(client.run().err()).contains("closed the connection after 1 round, with");
        }
    }

    @Test
    @DisplayName("the interval lies between the starts of two rounds")
    void intervalLiesBetweenStartsOfTwoRounds() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0")) {
            String port = port(server);
            long start = System.nanoTime();
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "4", "-i", "0.1");

            assertThat(client.status()).isZero();
            assertThat(System.nanoTime() - start).isGreaterThan(300_000_000L);
        }
    }

    @Test
    @DisplayName("the text of the ping is what the client shows")
    void textOfPingIsWhatClientShows() throws Exception {
        ByteBuffer text = ByteBuffer.allocate(64);
        PingText.write(41, text);
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-v")) {
            Run client = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port(server), "-C", "42", "-v");

            assertThat(client.out().lines()).contains("ping data: " + PingText.read(text));
            assertThat(client.out().lines().filter(line -> line.startsWith("ping data: rdma-ping-")))
                    .hasSize(42);
            assertThat(server.await().out().lines().filter(line -> line.startsWith("server ping data: rdma-ping-")))
                    .hasSize(42);
        }
    }
}
