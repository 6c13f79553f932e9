package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Whole;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("jwarp conform with --profile perftest and --profile rsockets:")
class PerftestAndRsocketsTest {
    /** The cases of a build; otherwise all. */
    private static final String FEW = Whole.wanted() ? "" : " rfc5041/5 rfc5041/7 MPA-4.4";

    private static void nothingFails(Run run, String... passed) {
        assertThat(run.status()).as(run.toString()).isZero();
        for (String id : passed) {
            assertThat(run.out()).containsPattern("ok +" + id);
        }
    }

    /** The device connects as often as the tester likes. */
    private static Run connecting(String profile, IntConsumer client) throws Exception {
        HeldPort held = new HeldPort();
        int port = held.number();
        String run = "conform -v -i 0 --listen 127.0.0.1:" + port + " --profile " + profile + FEW;
        try (held;
                Run.Background tester = Run.inBackground(run.split(" "))) {
            CompletableFuture<Void> clients = CompletableFuture.runAsync(
                    () -> {
                        while (!tester.ended()) {
                            try {
                                client.accept(port);
                            } catch (RuntimeException e) {
                                // The tester ends connections as it likes.
                            }
                        }
                    },
                    OwnThread.EACH);
            Run ended = tester.await();
            clients.join();
            return ended;
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"write_bw", "send_lat"})
    @DisplayName("a server of perftest answers the messages of its first connection")
    void perftestServer(String program) throws Exception {
        try (Run.Background server = Run.inBackground(
                ("perf " + program + " --peer-protocol perftest --persistent --bind_source_ip 127.0.0.1 -p 0")
                        .split(" "))) {
            String at = "127.0.0.1:" + Listeners.port(server);
            Run run = Run.of(("conform -v -i 0 --peer " + at + " --profile perftest" + FEW).split(" "));
            server.interrupt();

            nothingFails(run, "DDP-7.1-3:offset-hole@responder", "MPA-4.4-6:wrong-crc@responder");
            assertThat(run.out()).contains("needs a program that answers more than 4 Sends of a connection");
        }
    }

    @Test
    @DisplayName("a client of perftest begins, and goes on with each answer")
    void perftestClient() throws Exception {
        String client = "perf send_lat --peer-protocol perftest 127.0.0.1 --timeout 2 -p ";
        Run run = connecting("perftest", port -> Run.of((client + port).split(" ")));

        nothingFails(run, "DDP-7.1-3:offset-hole@initiator", "MPA-4.4-6:wrong-crc@initiator");
    }

    @Test
    @DisplayName("an echo above rsockets is told of data, and what it writes is looked at")
    void rsocketsServer() throws Exception {
        try (RsocketsProgram program = new RsocketsProgram(RsocketsProgram.Fault.NONE)) {
            nothingFails(
                    Run.of("conform", "-v", "-i", "0", "--peer", program.address(), "--profile", "rsockets"),
                    "DDP-5.3-2:in-order@responder",
                    "DDP-7.1-4:too-long@responder",
                    "DDP-7.1-8:one-too-far@responder");
        }
    }

    @Test
    @DisplayName("a client above rsockets sends first")
    void rsocketsClient() throws Exception {
        nothingFails(
                connecting("rsockets", RsocketsProgram::connect),
                "DDP-5.3-2:in-order@initiator",
                "DDP-7.1-8:one-too-far@initiator");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "WRONG_KEY, expected an RDMA Write to STag 0x51000001",
        "WRONG_COUNT, expected a Send that tells of the 16 bytes that were written got one that tells of 15"
    })
    @DisplayName("a program that is wrong about rsockets is told, and no device is charged")
    void wrongProgram(RsocketsProgram.Fault fault, String what) throws Exception {
        try (RsocketsProgram program = new RsocketsProgram(fault)) {
            Run run = Run.of("conform", "--peer", program.address(), "--profile", "rsockets");

            assertThat(run.status()).as(run.toString()).isEqualTo(3);
            assertThat(run.err().replace(", got", " got")).contains(what);
        }
    }

    @Test
    @DisplayName("a Write to a place that is taken shows with the second answer")
    void samePlace() throws Exception {
        try (RsocketsProgram program = new RsocketsProgram(RsocketsProgram.Fault.SAME_PLACE)) {
            Run run = Run.of(
                    "conform", "--peer", program.address(), "--profile", "rsockets", "DDP-5.3-2:in-order@responder");

            assertThat(run.status()).as(run.toString()).isEqualTo(1);
            assertThat(run.out()).contains("expected     an RDMA Write to STag 0x51000001, TO 0x100010");
        }
    }

    @Test
    @DisplayName("a program that does not know rsockets has none of their private data")
    void noRsockets() throws Exception {
        try (EchoingProgram program = new EchoingProgram()) {
            Run run = Run.of("conform", "--peer", program.address(), "--profile", "rsockets");

            assertThat(run.status()).as(run.toString()).isEqualTo(3);
            assertThat(run.err()).contains("expected private data of rsockets, of version 1, got none");
        }
    }
}
