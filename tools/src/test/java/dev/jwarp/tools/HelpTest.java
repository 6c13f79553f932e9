package dev.jwarp.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.jwarp.tools.cli.ExitStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
    @Test
    @DisplayName("jwarp alone shows its help")
    void jwarpAloneShowsItsHelp() {
        Snapshot.assertMatches("help", Run.of("--help"));
        Run alone = Run.of();

        assertThat(alone.status()).isEqualTo(2);
        assertThat(alone.err()).isEqualTo(Run.of("--help").out());
        assertThat(alone.out()).isEmpty();
    }

    @Test
    @DisplayName(
            "The word help shows what --help shows, of all or of one command, and knows abbreviations as the command line does")
    void helpAsAWord() {
        assertThat(Run.of("help").out()).isEqualTo(Run.of("--help").out()).isNotEmpty();
        assertThat(Run.of("help", "rping").out())
                .isEqualTo(Run.of("rping", "--help").out())
                .isNotEmpty();
        assertThat(Run.of("help", "rpi").out())
                .isEqualTo(Run.of("rping", "--help").out());
        Run unknown = Run.of("help", "rpign");
        assertThat(unknown.status()).isEqualTo(2);
        assertThat(unknown.err()).startsWith("error: there is no command 'rpign'; did you mean rping?");
    }

    @ParameterizedTest(name = "COLUMNS={0}: no line longer than {1}")
    @CsvSource({"80, 80", "60, 60", "300, 100", "20, 55", "wide, 100", "'', 100"})
    @DisplayName("Help folds to the width of the terminal, between 55 and 100 columns")
    void helpFolds(String columns, int width) {
        for (String[] command : new String[][] {{"--help"}, {"perf", "--help"}, {"help", "conform"}}) {
            String help =
                    Run.later(command).environment("COLUMNS", columns).execute().out();

            assertThat(longest(help)).as(help).isBetween(width - 12, width);
        }
    }

    @Test
    @DisplayName("In a terminal help is as wide as that")
    void helpInATerminal() throws Exception {
        // script gives the process a terminal of its own.
        assumeThat(new ProcessBuilder("script", "--version").redirectErrorStream(true))
                .matches(HelpTest::starts, "util-linux has no script here");
        List<String> words = new ArrayList<>(ProcessTest.jwarp("perf", "--help"));
        String quoted = words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        ProcessBuilder terminal =
                new ProcessBuilder("script", "-qec", "stty cols 70; " + quoted, "/dev/null").redirectErrorStream(true);
        terminal.environment().remove("COLUMNS");
        Process process = terminal.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .start();

        String shown = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(shown).contains("Usage:").contains("perf");
        // Bold and underlined words have bytes that take no room.
        assertThat(longest(shown.replaceAll("\u001b\\[[0-9;]*m", ""))).as(shown).isBetween(60, 70);
    }

    private static int longest(String text) {
        return text.lines().mapToInt(String::length).max().orElse(0);
    }

    private static boolean starts(ProcessBuilder command) {
        try {
            return command.start().waitFor() == 0;
        } catch (java.io.IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "rping",
                "udping",
                "loss",
                "message",
                "study",
                "perf",
                "devinfo",
                "config",
                "conform",
                "conform-target",
                "decode",
                "stat",
                "link",
                "resource",
                "proxy",
                "cp",
                "cmatose",
                "rdma-server",
                "rdma-client",
                "completion",
                "help"
            })
    @DisplayName("every tool shows its help")
    void everyToolShowsItsHelp(String tool) {
        Snapshot.assertMatches("help-" + tool, Run.of(tool, "--help"));
    }

    @ParameterizedTest
    @EnumSource(ExitStatus.class)
    @DisplayName("the help names every exit status")
    void helpNamesEveryExitStatus(ExitStatus status) {
        assertThat(Run.of("--help").out()).contains(status.code() + "      " + status.sentence());
        assertThat(Run.of("rping", "--help").out()).contains(status.sentence()).contains("128+n");
    }

    @Test
    @DisplayName("the version is that of the build")
    void versionIsThatOfBuild() {
        Run run = Run.of("--version");

        assertThat(run.status()).isZero();
        assertThat(run.out()).matches("jwarp \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
        assertThat(Run.of("rping", "--version").out()).isEqualTo(run.out());
    }

    @Test
    @DisplayName("the completion script is bash and knows the tools")
    void completionScriptIsBashAndKnowsTools() throws Exception {
        Run run = Run.of("completion");

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("demo", "rping", "udping", "devinfo", "config", "--peer-to-peer");
        Process bash =
                new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
        try (var script = bash.outputWriter()) {
            script.write(run.out());
        }
        assertThat(new String(bash.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(bash.waitFor()).isZero();
    }
}
