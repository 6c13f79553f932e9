package dev.jwarp.tools.stat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Main;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that look at another process: a server of udping, in a JVM of its own. */
@SuppressWarnings("AddressSelection") // numbers, not names
class ObserveTest {
    @TempDir
    private static Path folder;

    private static Process server;
    private static String pid;

    @BeforeAll
    static void startServer() throws IOException {
        server = start();
        pid = Long.toString(server.pid());
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.destroy();
        assertThat(server.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("udping", "-s", "-a", "127.0.0.1", "-p", "0"));
        Path err = Files.createTempFile(folder, "server", ".err");
        Process started = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();
        await().until(() -> Files.readString(err).contains("listening on") || !started.isAlive());
        assertThat(started.isAlive()).as(Files.readString(err)).isTrue();
        return started;
    }

    private static Run run(String... words) {
        return Run.of(words);
    }

    private static JsonNode result(Run run) throws IOException {
        assertThat(run.status()).as(run.toString()).isZero();
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertThat(document.path("status").asText()).isEqualTo("ok");
        return document.path("result");
    }

    private static JsonNode only(JsonNode result) {
        assertThat(result).hasSize(1);
        return result.get(0);
    }

    /** The processes that have a socket: the server and, maybe, other tests. */
    private static List<Path> sockets(long process) throws IOException {
        int user = (int) Files.getAttribute(folder, "unix:uid");
        Path sockets = Path.of("/tmp/jwarp-" + Integer.toUnsignedString(user));
        try (Stream<Path> all = Files.list(sockets)) {
            return all.filter(socket -> socket.getFileName().toString().startsWith(process + "-"))
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "link show", "lin sh", "link list", "link show jwarp0/1", "link jwarp0"})
    @DisplayName("a link is told as rdma does")
    void linkIsToldAsRdmaDoes(String command) throws IOException {
        Run run = run((command + " " + pid).split(" ", -1));

        assertThat(run.status()).as(run.toString()).isZero();
        assertThat(run.out())
                .matches("link jwarp0/1 state [A-Z]+ physical_state (LINK_UP|DISABLED) netdev "
                        + NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"))
                                .getName()
                        + "\\R");
        assertThat(run.err()).isEmpty();
    }

    @Test
    @DisplayName("resources are counted and shown one by one")
    void resourcesAreCountedAndShownOneByOne() {
        assertThat(run("resource", pid).out())
                .matches("0: jwarp0: qp 1 cq 1 pd 1 cm_id 0 mr \\d+ ctx 1 srq 0 ah \\d+ mw 0\\R");
        Run queuePairs = run("res", "sho", "q", pid);
        assertThat(queuePairs.out())
                .matches("link jwarp0/1 lqpn \\d+ type UD state RTS pdn \\d+ src-addr 127\\.0\\.0\\.1:\\d+ pid " + pid
                        + " comm \\S+Main\\R");
        assertThat(run("resource", "show", "cq", pid).out()).contains("dev jwarp0 cqn ", " users 1 ");
        assertThat(run("resource", "show", "mr", pid).out()).contains(" mrlen ").doesNotContain("rkey");
        assertThat(run("resource", "show", "mr", pid, "-d").out()).contains(" rkey 0x", " access ");
        assertThat(run("resource", "show", "cm_id", pid).out()).isEmpty();
    }

    @Test
    @DisplayName("JSON says the same as text")
    void jsonSaysSameAsText() throws IOException {
        JsonNode queuePair = only(result(run("resource", "show", "qp", pid, "-j")));
        StringBuilder text = new StringBuilder();
        queuePair.properties().forEach(field -> {
            switch (field.getKey()) {
                case "ifname" -> text.append("link ").append(field.getValue().asText());
                case "port" -> text.append('/').append(field.getValue().asText());
                default ->
                    text.append(' ')
                            .append(field.getKey())
                            .append(' ')
                            .append(field.getValue().asText());
            }
        });
        assertThat(run("resource", "show", "qp", pid).out()).isEqualToIgnoringNewLines(text.toString());
        assertThat(queuePair.path("lqpn").isIntegralNumber()).isTrue();

        JsonNode link = only(result(run("link", pid, "-j", "-p", "-d")));
        assertThat(link.path("ifname").asText()).isEqualTo("jwarp0");
        assertThat(link.path("port").asInt()).isEqualTo(1);
        JsonNode summary = only(result(run("resource", pid, "--json")));
        assertThat(summary.path("ifindex").asInt()).isZero();
        assertThat(summary.path("qp").asInt()).isEqualTo(1);
    }

    @Test
    @DisplayName("counters and limits are those of the other process")
    void countersAndLimitsAreThoseOfOtherProcess() throws IOException {
        String address = only(result(run("resource", "show", "qp", pid, "-j")))
                .path("src-addr")
                .asText();
        int port = address.lastIndexOf(':');
        long before = counter("receives_completed");
        Run ping = run("udping", "-c", "-a", "127.0.0.1", "-p", address.substring(port + 1), "-C", "3", "-W", "60");
        assertThat(ping.status()).as(ping.toString()).isZero();

        assertThat(counter("receives_completed")).isGreaterThanOrEqualTo(before + 3);
        Run text = run("stat", "--nonzero", "-d", pid);
        assertThat(text.out())
                .startsWith("link jwarp0/1" + System.lineSeparator())
                .containsPattern("    receives_completed \\d+  # Receive work requests completed with success\\.")
                .containsPattern("    limit name mr ctxn 1 current \\d+ limit \\d+")
                .doesNotContain("connections_established");
        assertThat(run("statistic", "show", "link", "jwarp0/1", pid).out())
                .contains("    connections_established 0")
                .containsPattern("limit name records lqpn \\d+ current 0 limit 1024")
                .containsPattern("limit name bitmap-memory lqpn \\d+ current 0 high-water \\d+ limit 1048576")
                .containsPattern("limit name max-message lqpn \\d+ limit \\d+");
    }

    private static long counter(String name) throws IOException {
        JsonNode link = only(result(run("stat", "-j", pid)));
        assertThat(link.path("limits")).isNotEmpty();
        return link.path(name).asLong();
    }

    @Test
    @DisplayName("without a PID the processes are listed")
    void withoutPidProcessesAreListed() throws IOException {
        assertThat(run("stat").out()).containsPattern("pid " + pid + " comm \\S+ links jwarp0/1 qp 1 cq 1");
        assertThat(ownLine(run("link"))).isEqualTo(ownLine(run("resource")));
        assertThat(StreamSupport.stream(result(run("stat", "-j")).spliterator(), false)
                        .map(process -> process.path("pid").asText()))
                .contains(pid);
    }

    /** Other processes come and go. */
    private static String ownLine(Run run) {
        return run.out()
                .lines()
                .filter(line -> line.startsWith("pid " + pid + " "))
                .findFirst()
                .orElse(run.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resource show qp PID lqpn 1 | nothing of process PID matches show qp PID lqpn 1",
                "link jwarp0/2 PID           | nothing of process PID matches jwarp0/2 PID",
                "resource show qp            | the pid of the process is missing",
                "resource show wp PID x      | 'x' is not known here",
                "link show 1 2               | only one pid is possible: 1 or 2"
            })
    @DisplayName("what cannot be answered is a usage error")
    void whatCannotBeAnsweredIsUsageError(String line) {
        String[] parts = line.replace("PID", pid).split("\\|", 2);

        Run run = run(parts[0].strip().split(" +", -1));

        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + parts[1].strip());
    }

    @Test
    @DisplayName("a process without jwarp is told from one that switched it off and from none")
    void processWithoutJwarpIsTold() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "600").start();
        try {
            Run run = run("stat", Long.toString(sleeper.pid()));
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).contains("Process " + sleeper.pid() + " (sleep) has no jwarp device open");
        } finally {
            sleeper.destroy();
        }
        sleeper.waitFor();
        Run gone = run("stat", "-j", Long.toString(sleeper.pid()));
        assertThat(gone.status()).isEqualTo(3);
        assertThat(gone.err()).startsWith("error: There is no process " + sleeper.pid() + ".");
        JsonNode document = new ObjectMapper().readTree(gone.out());
        assertThat(document.path("schema").asText()).isEqualTo("jwarp.statistic/1");
        assertThat(document.path("status").asText()).isEqualTo("setup");
        assertThat(document.path("result").isNull()).isTrue();

        Process silent = start("-Djwarp.stat=off");
        try {
            Run run = run("stat", Long.toString(silent.pid()));
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).contains("was started with jwarp.stat=off");
            assertThat(sockets(silent.pid())).isEmpty();
        } finally {
            silent.destroy();
            silent.waitFor();
        }
    }

    @Test
    @DisplayName("a process leaves nothing behind unless it is killed and then the next one cleans up")
    void processLeavesNothingBehindUnless() throws Exception {
        Process killed = start();
        assertThat(sockets(killed.pid())).hasSize(1);
        killed.destroyForcibly();
        assertThat(killed.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        // Another JVM of this user that begins just now has cleaned up already: that a socket was left is
        // PublisherTest's.
        Run run = run("stat", Long.toString(killed.pid()));
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err()).contains("There is no process " + killed.pid());
        assertThat(run("stat").out()).doesNotContain("pid " + killed.pid() + " ");

        Process next = start();
        assertThat(sockets(killed.pid())).isEmpty();
        assertThat(sockets(next.pid())).hasSize(1);
        next.destroy();
        assertThat(next.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(sockets(next.pid())).isEmpty();
    }

    @Test
    @DisplayName("another user may not look")
    void anotherUserMayNotLook() throws Exception {
        assumeTrue(
                (int) Files.getAttribute(folder, "unix:uid") == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")),
                "only root can become somebody else");
        List<String> command = new ArrayList<>(
                List.of("env", "LC_ALL=C", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        command.addAll(List.of("ls", "/tmp/jwarp-0/"));

        Process other = new ProcessBuilder(command).redirectErrorStream(true).start();

        assertThat(new String(other.getInputStream().readAllBytes(), UTF_8)).contains("Permission denied");
        assertThat(other.waitFor()).isNotZero();
    }
}
