package dev.jwarp.tools.ping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import dev.jwarp.tools.Snapshot.Mask;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.ping.UdpingServer.Answer;
import dev.jwarp.tools.ping.UdpingServer.Invitation;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpingTest {
    private static final Pattern LISTENING =
            Pattern.compile("listening on (?:127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[[0:]+]):(\\d+)");
    private static final Mask DURATION = new Mask("\\d[0-9.]*(ns|us|ms|s)\\b", "TIME");
    private static final Mask RTT = new Mask("= [0-9./]+us", "= TIMES");

    private static Run.Background server(String... more) {
        return serverAt("127.0.0.1", more);
    }

    private static Run.Background serverAt(String address, String... more) {
        List<String> arguments = new ArrayList<>(List.of("udping", "-s", "-a", address, "-p", "0"));
        arguments.addAll(List.of(more));
        return Run.inBackground(arguments.toArray(String[]::new));
    }

    private static String port(Run.Background server) {
        Matcher matcher = LISTENING.matcher("");
        await().until(() -> matcher.reset(server.run().err()).find() || server.ended());
        assertThat(server.ended()).as(server.run().toString()).isFalse();
        return matcher.group(1);
    }

    private static Run client(String port, String flags) {
        return clientOf("127.0.0.1", port, flags);
    }

    private static Run clientOf(String address, String port, String flags) {
        return Run.of(("udping -c -a " + address + " -p " + port + " " + flags).split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"send", "write", "read"})
    @DisplayName("each kind of ping comes back")
    void eachKindOfPingComesBack(String kind) throws Exception {
        try (Run.Background server = server("--progress", "threaded")) {
            for (String size : new String[] {"16", "64", "5000", "64K"}) {
                Run ping;
                do {
                    ping = client(port(server), "-C 5 -W 60 -o " + kind + " -S " + size);
                    assertThat(ping.status()).as(ping.toString()).isZero();
                    assertThat(ping.out()).contains("5 pings sent", "0 lost (0.0%)");
                } while (!ping.out().contains("5 whole")); // as long as a thread gets no time for the rest of a message
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @EnabledOnOs(OS.LINUX) // java.nio alone does not tell which address was asked
    @DisplayName("a server at all addresses answers at one that the system does not list")
    void aServerAtAllAddressesAnswersAtOneThatTheSystemDoesNotList(String progress) throws Exception {
        try (Run.Background server = serverAt("0.0.0.0", "--progress", progress)) {
            for (String asked : new String[] {"127.0.0.2", "127.0.0.1", "127.1.2.3"}) {
                Run ping = clientOf(asked, port(server), "-C 3 -W 60 -S 5000");

                assertThat(ping.status()).as(ping.toString()).isZero();
                assertThat(ping.out()).contains("3 pings sent, 3 whole, 0 partial, 0 lost (0.0%)");
            }
        }
    }

    @Test
    @DisplayName("each ping can be told and the end is as with ping")
    void eachPingCanBeToldAndEndIsAsWithPing() throws Exception {
        try (Run.Background server = server()) {
            Run ping = client(port(server), "-C 3 -W 60 -v");

            Snapshot.assertMatches("udping-client", ping, RTT, DURATION);
            server.interrupt();
            Run served = server.await();
            assertThat(served.status()).isEqualTo(130);
            assertThat(served.out()).contains("3 pings answered, of 1 clients");
        }
    }

    @Test
    @DisplayName("what is lost or comes in part is counted")
    void whatIsLostOrComesInPartIsCounted() throws Exception {
        try (Run.Background server = server()) {
            Run ping = client(port(server), "-C 20 -S 65535 -o write --inject loss=10%,seed=3 -W 0.5 --json");

            JsonNode result =
                    new ObjectMapper().readTree(ping.out()).path("result").path("ping");
            assertThat(ping.status()).as(ping.toString()).isZero();
            assertThat(result.path("sent").asLong()).isEqualTo(20);
            assertThat(result.path("partial").asLong()).as(ping.toString()).isPositive();
            assertThat(result.path("whole").asLong()
                            + result.path("partial").asLong()
                            + result.path("lost").asLong())
                    .isEqualTo(20);
        }
    }

    @Test
    @DisplayName("with one key at both ends each ping comes back in an envelope; without a key no answer comes")
    void keys(@TempDir Path folder) throws Exception {
        Path keys = Files.writeString(
                folder.resolve("keys"),
                "7 send hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f any\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        String set = "--set jwarp.udp.keys=" + keys;
        try (Run.Background server = server(set.split(" "))) {
            for (String kind : List.of("send", "write", "read")) {
                Run ping = client(port(server), "-C 5 -W 60 -S 5000 -o " + kind + " " + set);

                assertThat(ping.status()).as(ping.toString()).isZero();
                assertThat(ping.out()).contains("5 pings sent, 5 whole, 0 partial, 0 lost (0.0%)");
            }
            assertThat(client(port(server), "-C 1 --timeout 0.3").err()).contains("no answer came");
        }
    }

    @Test
    @DisplayName("if none comes back it ends with 1")
    void ifNoneComesBackItEndsWith1() throws Exception {
        try (Run.Background server = server()) {
            Run ping = client(port(server), "-C 3 -S 64 -W 0.05 -o read --inject loss=90%,seed=5");

            assertThat(ping.status()).as(ping.toString()).isIn(1, 3);
        }
    }

    @Test
    @DisplayName("without a server it ends with 3")
    void withoutServerItEndsWith3() {
        Run ping = client("9", "-C 1 --timeout 0.3");

        assertThat(ping.status()).as(ping.toString()).isEqualTo(3);
        assertThat(ping.err()).contains("127.0.0.1:9").contains("no answer came");
    }

    @Test
    @DisplayName("Ctrl c ends a client with 130 and its statistics")
    void ctrlCEndsClientWith130AndItsStatistics() throws Exception {
        try (Run.Background server = server()) {
            try (Run.Background client =
                    Run.inBackground("udping", "-c", "-a", "127.0.0.1", "-p", port(server), "-i", "0.01", "-v")) {
                await().until(() -> client.run().out().contains("ping 3:"));
                client.interrupt();

                assertThat(client.await().status()).as(client.run().toString()).isEqualTo(130);
                assertThat(client.run().out()).contains("udping statistics");
            }
        }
    }

    /** A Write-Record of 0 octets has 42, an answer of 12 has 58. */
    @Test
    @DisplayName("what is shorter than its answer is not answered")
    void whatIsShorterThanItsAnswerIsNotAnswered() throws Exception {
        try (Run.Background server = server();
                Context context = DatagramLink.device(RdmaProvider.load()).open()) {
            int port = Integer.parseInt(port(server));
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            ResolvedService found = context.resolve(at, Invitation.SERVICE, ResolveParameters.DEFAULT);
            Invitation invitation = Invitation.of(found.privateData());
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(64);
            DatagramQueuePair stranger = domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(queue).build(),
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .key(found.key())
                            .build());
            AddressHandle peer = stranger.createAddressHandle(found);
            MemoryRegion memory = domain.allocate(64, AccessFlag.LOCAL_WRITE);
            stranger.postReceive(new ReceiveWorkRequest().id(7).add(memory, 0, 64));
            for (int length : new int[] {0, 4, 15, 16}) {
                stranger.postSend(new SendWorkRequest()
                        .destination(peer)
                        .writeRecord(invitation.writeAddress() + length * 64L, invitation.writeKey())
                        .add(memory, 32, length));
            }
            WorkCompletion[] one = WorkCompletion.array(1);
            await().until(() -> queue.poll(one) == 1 && one[0].id() == 7);
            assertThat(Answer.of(memory.buffer(), 0).address()).isEqualTo(invitation.writeAddress() + 16 * 64L);
            assertThat(one[0].byteLength()).isEqualTo(Answer.LENGTH);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-s -c: exclude each other",
                "-c: needs -a",
                "-s -I 127.0.0.1: is for the client",
                "-c -a 127.0.0.1 -S 15: 16 to 64K",
                "-c -a 127.0.0.1 -S 65K: 16 to 64K",
                "-c -a 127.0.0.1 -C -1: out of range",
                "-c -a 127.0.0.1 -W 0: more than 0",
                "-c -a 127.0.0.1 -p 0: 1 to 65535",
                "-c -a 127.0.0.1 -V: udping always compares"
            })
    @DisplayName("impossible flags are refused")
    void whatCannotBeIsRefused(String flagsAndWords) {
        String[] parts = flagsAndWords.split(": ", 2);
        Run ping = Run.of(("udping " + parts[0]).split(" "));

        assertThat(ping.status()).as(ping.toString()).isEqualTo(2);
        assertThat(ping.err()).contains(parts[1]);
    }
}
