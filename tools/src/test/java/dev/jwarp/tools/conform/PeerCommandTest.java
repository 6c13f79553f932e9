package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.ToolFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command that makes a device connect. */
@Timeout(60)
class PeerCommandTest {
    @TempDir
    private Path folder;

    @Test
    void port_and_host_stand_for_where_the_tester_waits() {
        assertThat(new PeerCommand("rping -c -a {host} -p {port} -C {port}", "10.0.0.1").text(7174))
                .isEqualTo("rping -c -a 10.0.0.1 -p 7174 -C 7174");
    }

    @Test
    void a_host_that_nobody_said_cannot_be_put_in() {
        assertThatThrownBy(() -> new PeerCommand("rping -c -a {host} -p {port}", ""))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("{host} in --peer-command needs --listen HOST:PORT");
    }

    @Test
    void what_it_says_is_kept_both_streams_the_last_of_it() throws Exception {
        try (PeerCommand command = new PeerCommand("echo early; yes x | head -5000; echo late; echo wrong >&2", "")) {
            command.awaited(1);

            await().until(() -> command.said().contains("wrong"));
            assertThat(command.said()).contains("late").doesNotContain("early").hasSizeLessThan(2_100);
        }
    }

    @Test
    void the_next_run_and_the_end_stop_what_still_runs_with_all_that_it_started() throws Exception {
        Path pids = folder.resolve("pids");
        // The shell is no parent that waits only: it has a child of its own, and a grandchild.
        String text = "echo $$ >>" + pids + "; (sleep 600 & echo $! >>" + pids + "; wait) & wait";
        try (PeerCommand command = new PeerCommand(text, "")) {
            command.awaited(1);
            await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 2);
            command.awaited(2);
            await().until(() -> alive(Files.readAllLines(pids).subList(0, 2)).isEmpty());
            await().until(() -> Files.readAllLines(pids).size() == 4);
        }
        await().until(() -> alive(Files.readAllLines(pids)).isEmpty());
    }

    @Test
    void nothing_begins_behind_the_end() {
        PeerCommand command = new PeerCommand("true", "");
        command.close();

        assertThatThrownBy(() -> command.awaited(1)).hasMessage("the run has ended");
        assertThat(command.stop()).isTrue();
    }

    @Test
    void one_that_does_not_heed_the_wish_to_end_is_ended_all_the_same() throws Exception {
        Path pids = folder.resolve("pids");
        try (PeerCommand command =
                new PeerCommand("trap '' TERM; echo $$ >>" + pids + "; while :; do sleep 0.1; done", "")) {
            command.awaited(1);
            await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 1);
        }
        await().until(() -> alive(Files.readAllLines(pids)).isEmpty());
    }

    @Test
    void its_words_stand_with_a_case_that_nobody_connected_for() {
        Run run = Run.of(
                "conform",
                "--listen",
                "127.0.0.1:0",
                "--timeout",
                "0.1",
                "--peer-command",
                "echo no device at {host}",
                "MPA-7.1.1-1");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("nobody connected: no connection at port", "the device said: no device at 127.0.0.1");
    }

    private static List<String> alive(List<String> pids) {
        return pids.stream()
                .filter(pid -> ProcessHandle.of(Long.parseLong(pid))
                        .map(ProcessHandle::isAlive)
                        .orElse(false))
                .toList();
    }
}
