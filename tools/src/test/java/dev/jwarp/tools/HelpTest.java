package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.cli.ExitStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelpTest {
    @Test
    void jwarp_alone_shows_its_help() {
        Snapshot.assertMatches("help", Run.of());
        assertThat(Run.of("--help").out()).isEqualTo(Run.of().out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "rping",
                "udping",
                "loss",
                "perf",
                "devinfo",
                "config",
                "conform",
                "conform-target",
                "decode",
                "stat",
                "link",
                "resource",
                "cmatose",
                "rdma-server",
                "rdma-client",
                "completion"
            })
    void every_tool_shows_its_help(String tool) {
        Snapshot.assertMatches("help-" + tool, Run.of(tool, "--help"));
    }

    @ParameterizedTest
    @EnumSource(ExitStatus.class)
    void the_help_names_every_exit_status(ExitStatus status) {
        assertThat(Run.of("--help").out()).contains(status.code() + "      " + status.sentence());
        assertThat(Run.of("rping", "--help").out()).contains(status.sentence()).contains("128+n");
    }

    @Test
    void the_version_is_that_of_the_build() {
        Run run = Run.of("--version");

        assertThat(run.status()).isZero();
        assertThat(run.out()).matches("jwarp \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
        assertThat(Run.of("rping", "--version").out()).isEqualTo(run.out());
    }

    @Test
    void the_completion_script_is_bash_and_knows_the_tools() throws Exception {
        Run run = Run.of("completion");

        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("demo", "rping", "udping", "devinfo", "config", "--peer-to-peer");
        Process bash =
                new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
        try (var script = bash.outputWriter()) {
            script.write(run.out());
        }
        assertThat(new String(bash.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(bash.waitFor()).isZero();
    }
}
