package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.ToolFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that makes a device connect. */
class PeerCommandTest {
    @TempDir
    private Path folder;

    @Test
    @DisplayName("port and host stand for where the tester waits")
    void portAndHostStandForWhereTesterWaits() {
        assertThat(new PeerCommand("rping -c -a {host} -p {port} -C {port}", "10.0.0.1").text(7174))
                .isEqualTo("rping -c -a 10.0.0.1 -p 7174 -C 7174");
    }

    @Test
    @DisplayName("a host that was not given cannot be put in")
    void hostThatWasNotGivenCannotBePutIn() {
        assertThatThrownBy(() -> new PeerCommand("rping -c -a {host} -p {port}", ""))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("{host} in --peer-command needs --listen HOST:PORT");
    }

    @Test
    @DisplayName("what it says is kept both streams the last of it")
    void whatItSaysIsKeptBothStreamsLastOfIt() throws Exception {
        try (PeerCommand command = new PeerCommand("echo early; yes x | head -5000; echo late; echo wrong >&2", "")) {
            command.awaited(1);

            await().until(() -> command.said().contains("wrong"));
            assertThat(command.said()).contains("late").doesNotContain("early").hasSizeLessThan(2_100);
        }
    }

    @Test
    @DisplayName("the next run and the end stop what still runs with all that it started")
    void nextRunAndEndStop() throws Exception {
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
    @DisplayName("nothing begins behind the end")
    void nothingBeginsBehindEnd() {
        PeerCommand command = new PeerCommand("true", "");
        command.close();

        assertThatThrownBy(() -> command.awaited(1)).hasMessage("the run has ended");
        assertThat(command.stop()).isTrue();
    }

    @Test
    @DisplayName("one that does not heed the wish to end is ended all the same")
    void oneThatDoesNotHeedWishToEndIsEndedAllSame() throws Exception {
        Path pids = folder.resolve("pids");
        try (PeerCommand command =
                new PeerCommand("trap '' TERM; echo $$ >>" + pids + "; while :; do sleep 0.1; done", "")) {
            command.awaited(1);
            await().until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 1);
        }
        await().until(() -> alive(Files.readAllLines(pids)).isEmpty());
    }

    @Test
    @DisplayName("its words are shown with a case without a connection")
    void itsWordsAreShownWithCaseWithoutConnection() {
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
                .contains("no connection came: no connection at port", "the device said: no device at 127.0.0.1");
    }

    private static List<String> alive(List<String> pids) {
        return pids.stream()
                .filter(pid -> ProcessHandle.of(Long.parseLong(pid))
                        .map(ProcessHandle::isAlive)
                        .orElse(false))
                .toList();
    }
}
