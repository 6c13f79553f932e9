package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.OwnThread;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "Where another program runs above the device than --profile says, jwarp conform says so once and charges nothing:")
class WrongProfileTest {
    private static void isToldOnce(Run run, String what) {
        assertThat(run.status()).as(run.toString()).isEqualTo(3);
        assertThat(run.err())
                .contains("error: the program there does not do what --profile " + what)
                .contains("set --profile to the program that runs there");
        assertThat(run.out()).doesNotContain("FAIL").doesNotContain("inconclusive");
    }

    @Test
    @DisplayName("an answer of another kind shows it")
    void answersOtherwise() throws Exception {
        try (EchoingProgram program = new EchoingProgram()) {
            isToldOnce(
                    Run.of("conform", "--peer", program.address()), "rping says: expected RDMA Read Request, got Send");
            isToldOnce(Run.of("conform", "--peer", program.address(), "--profile", "echo", "MPA-4.4-6"), "echo says");
        }
    }

    @Test
    @DisplayName("so does silence, if the device is seen to work, on a connection of its own")
    void silent() throws Exception {
        try (Run.Background rping = Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0")) {
            String at = "127.0.0.1:" + Listeners.port(rping);

            isToldOnce(
                    Run.of("conform", "--peer", at, "--profile", "perftest"),
                    "perftest says: expected Send, got the end");
            rping.interrupt();
        }
    }

    @Test
    @DisplayName("a program that rejects each Request is told once, too")
    void rejects() throws Exception {
        try (Run.Background target = Run.inBackground("conform-target", "--listen", "127.0.0.1:0")) {
            String at = "127.0.0.1:" + Listeners.port(target);
            Run run = Run.of("conform", "--peer", at, "--profile", "echo", "--private-data", "refuse");
            target.interrupt();

            assertThat(run.status()).as(run.toString()).isEqualTo(3);
            assertThat(run.err()).contains("rejects the tester's Request (R=1)").contains("--private-data");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    @DisplayName("so does a Send that it has no room for")
    void noRoom() throws Exception {
        try (Run.Background rping = Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0")) {
            String at = "127.0.0.1:" + Listeners.port(rping);

            isToldOnce(Run.of("conform", "--peer", at, "--profile", "echo"), "echo says");
            rping.interrupt();
        }
    }

    @Test
    @DisplayName("so does what a device that connects says first")
    void connects() throws Exception {
        HeldPort held = new HeldPort();
        int port = held.number();
        try (held;
                Run.Background tester = Run.inBackground("conform", "--listen", "127.0.0.1:" + port)) {
            CompletableFuture<Void> clients = CompletableFuture.runAsync(
                    () -> {
                        while (!tester.ended()) {
                            Run.of("conform-target", "--connect", "127.0.0.1:" + port, "--timeout", "1");
                        }
                    },
                    OwnThread.EACH);
            isToldOnce(tester.await(), "rping says");
            clients.join();
        }
    }
}
