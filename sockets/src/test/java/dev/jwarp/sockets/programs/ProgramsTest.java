package dev.jwarp.sockets.programs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sockets.JwarpSelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Programs that know nothing of jwarp run on it")
@Timeout(180)
class ProgramsTest {
    private static final int PATIENCE_SECONDS = 120;

    private static final List<String> ON_JWARP = List.of(
            "-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName(),
            "--add-exports",
            "java.base/sun.nio.ch=ALL-UNNAMED");

    @TempDir
    private Path folder;

    @Test
    @DisplayName("the JDK's HTTP server and client")
    void http() throws Exception {
        assertThat(run(ON_JWARP, JdkHttp.class)).contains("60 bodies came back");
    }

    @Test
    @DisplayName("Jetty, and files of up to 80 MiB")
    void jetty() throws Exception {
        assertThat(run(ON_JWARP, JettyFiles.class, folder.toString(), "128", "1024", "10000", "81920"))
                .contains("128 KiB, SHA-256", "81920 KiB, SHA-256");
    }

    @Test
    @DisplayName("a ZooKeeper server and its clients")
    void zooKeeper() throws Exception {
        assertThat(run(ON_JWARP, ZooKeeperPair.class, folder.toString())).contains("200 nodes read, a change watched");
    }

    @Test
    @DisplayName("and learn which option is missing")
    void missingOption() throws Exception {
        assertThat(run(
                        List.of("-Djava.nio.channels.spi.SelectorProvider=" + JwarpSelectorProvider.class.getName()),
                        JdkHttp.class))
                .contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED");
    }

    private String run(List<String> options, Class<?> program, String... arguments) throws Exception {
        Path said = folder.resolve("said");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(said);
            assertThat(ended).as(output).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
