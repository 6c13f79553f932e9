package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import dev.jwarp.vectors.HeldPort;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The conformance target as a command of its own. */
class ConformTargetTest {
    private static final Snapshot.Mask PORT = new Snapshot.Mask("(127\\.0\\.0\\.1:)\\d+", "$1PORT");

    @Test
    @DisplayName("a target that listens serves testers until it is stopped")
    void targetThatListensServesTesters() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--listen", "127.0.0.1:0");
        Run tester = Run.of(
                "conform",
                "--peer",
                "127.0.0.1:" + Listeners.port(target),
                "--profile",
                "echo",
                "MPA-4.1-1",
                "MPA-5.2-1:octet-by-octet",
                "MPA-5.2-2");
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out()).endsWith("4 tests, 4 passed, 0 skipped, 0 failed" + System.lineSeparator());
        Snapshot.assertMatches("conform-target-listens", target.await(), PORT);
    }

    /** The rest of the suite's runs are threaded: so this one is whole. */
    @Test
    @DisplayName("a target driven by the thread that waits passes the whole suite")
    void targetDrivenByThreadThatWaitsPassesWholeSuite() throws Exception {
        List<String> words =
                new ArrayList<>(List.of("conform-target", "--listen", "127.0.0.1:0", "--progress", "inline"));
        SelfExamination.SETTINGS.forEach((key, value) -> words.addAll(List.of("--set", key + "=" + value)));
        Run.Background target = Run.inBackground(words.toArray(String[]::new));
        Run tester =
                Run.of("conform", "--peer", "127.0.0.1:" + Listeners.port(target), "--profile", "echo", "--jobs", "4");
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out()).containsPattern("\\d{3} passed, \\d+ skipped, 0 failed");
        assertThat(target.await().status()).isEqualTo(130);
    }

    @Test
    @DisplayName("a target that connects is tested as an initiator again and again")
    void targetThatConnectsIsTested() throws Exception {
        try (HeldPort port = new HeldPort()) {
            Run.Background target = Run.inBackground(
                    "conform-target", "--connect", "127.0.0.1:" + port.number(), "--timeout", "0", "--json");
            Run tester = Run.of(
                    "conform",
                    "--listen",
                    "127.0.0.1:" + port.number(),
                    "--profile",
                    "echo",
                    "MPA-4.1-1",
                    "MPA-5.2-1:octet-by-octet",
                    "MPA-5.2-2",
                    "DDP-7.1-1");
            target.interrupt();

            assertThat(tester.status()).as(tester.toString()).isZero();
            assertThat(tester.out()).endsWith("5 tests, 5 passed, 0 skipped, 0 failed" + System.lineSeparator());
            assertThat(target.await().out())
                    .contains("\"schema\" : \"jwarp.conform-target/1\"")
                    .contains("\"role\" : \"initiator\"")
                    .containsPattern("\"conversations\" : [5-9]");
        }
    }

    @Test
    @DisplayName("a target without a listening tester says so and ends")
    void targetWithoutListeningTesterSaysSoAndEnds() throws Exception {
        try (HeldPort port = new HeldPort()) {
            Run run = Run.of("conform-target", "--connect", "127.0.0.1:" + port.number(), "--timeout", "0.1");

            Snapshot.assertMatches(
                    "conform-target-no-listener", run, PORT, new Snapshot.Mask("--listen \\d+", "--listen PORT"));
        }
    }

    @Test
    @DisplayName("an order that would harm the target is answered with status 1")
    void orderThatWouldHarmTargetIsAnsweredWithStatus1() {
        byte[] none = {};
        assertThat(new Order(Order.SENDS, 0, -1, 1, 0, 0, none).withinReason()).isFalse();
        assertThat(new Order(Order.WRITES, 0, 1 << 20, 65, 0, 0, none).withinReason())
                .isFalse();
        assertThat(new Order(Order.READS, 0, 16, 0, 0, 0, none).withinReason()).isFalse();
        assertThat(new Order(Order.PEEK, 0, 2_048, 0, (1 << 20) - 2_047, 0, none).withinReason())
                .isFalse();
        assertThat(new Order(Order.PEEK, 0, 2_048, 0, -1, 0, none).withinReason())
                .isFalse();
        assertThat(new Order(Order.PEEK, 0, 16, 0, 1 << 17, 4711, none).withinReason())
                .isFalse();
        assertThat(new Order(Order.PEEK, 0, 1 << 30, 0, (1 << 20) - 2_048, 0, none).withinReason())
                .isTrue();
        assertThat(new Order(Order.SENDS, 0, 0, 100_000, 0, 0, none).withinReason())
                .isTrue();
    }

    @ParameterizedTest(name = "conform-target {0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | one of --listen [HOST:]PORT and --connect HOST:PORT is needed",
                "--listen 1 --connect ::1:2 | one of --listen [HOST:]PORT and --connect HOST:PORT is needed",
                "--listen many | many is neither PORT nor HOST:PORT",
                "--listen 1 --datagram --progress inline | --datagram needs --progress threaded",
                "--listen 1 --timeout 3 | --timeout is for --connect",
                "--connect 7000 | 7000 is not HOST:PORT"
            })
    @DisplayName("a wrong command line ends with 2")
    void wrongCommandLineEndsWith2(String flags, String sentence) {
        Run run = Run.of(("conform-target " + flags).strip().split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + sentence);
    }
}
