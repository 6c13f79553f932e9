package dev.jwarp.sockets.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sockets.JwarpSelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Programs that know nothing of jwarp run on it")
@Timeout(180)
class ProgramsTest {
    private static final int PATIENCE_SECONDS = 120;

    @Test
    @DisplayName("the JDK's HTTP server and client")
    void http() throws Exception {
        assertThat(run(
                        List.of(
                                "-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName(),
                                "--add-exports",
                                "java.base/sun.nio.ch=ALL-UNNAMED"),
                        JdkHttp.class))
                .contains("60 bodies came back");
    }

    @Test
    @DisplayName("and learn which option is missing")
    void missingOption() throws Exception {
        assertThat(run(
                        List.of("-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName()),
                        JdkHttp.class))
                .contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    private static String run(List<String> options, Class<?> program) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as(output)
                    .isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
