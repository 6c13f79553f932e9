package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the programs of docs/tutorial.md as two processes with the commands of the page. {@code .ci/outside} does the
 * same with Maven, in a project outside of the clone.
 */
@DisplayName("The tutorial")
class TutorialTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String PORT = "7471";

    @TempDir
    private Path folder;

    private final List<Snippet> snippets =
            Snippet.all().stream().filter(Snippet::inTutorial).toList();

    @Test
    @DisplayName("has a server and a client that print the output of the page")
    void twoProcesses() throws Exception {
        SnippetsTest.compile(snippets.stream().filter(s -> s.is("java")).toList(), folder);
        Path serverSays = folder.resolve("server.txt");
        Process server = start(command("Server"), "0", serverSays);
        try {
            await().atMost(PATIENCE).until(() -> Files.readString(serverSays).endsWith("\n") || !server.isAlive());
            String port = Files.readString(serverSays).replaceAll("\\D", "");
            List<String> said = snippets.stream()
                    .filter(s -> s.is("text"))
                    .map(s -> s.text().replace(PORT, port))
                    .toList();
            assertThat(serverSays).content().isEqualTo(said.get(0));

            // Twice: after a client has ended, the server must serve the next one.
            String all = said.get(0);
            for (String client : commands("Client")) {
                Path clientSays = folder.resolve("client.txt");
                Process running = start(client, port, clientSays);
                assertThat(running.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(clientSays).content().isEqualTo(said.get(1));
                assertThat(running.exitValue()).isZero();
                all += said.get(2);
                String sofar = all;
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(serverSays).content().isEqualTo(sofar));
            }
            assertThat(folder.resolve("sums.pcap")).isNotEmptyFile();
        } finally {
            server.destroy();
            assertThat(server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @DisplayName("has the dependencies of README.md in its project, except those of datagrams")
    void project() {
        List<String> wanted = new ArrayList<>(dependencies("README.md"));
        wanted.remove("jwarp-transport-udp");
        assertThat(dependencies(Snippet.TUTORIAL)).isEqualTo(wanted);
    }

    private static List<String> dependencies(String page) {
        Snippet xml = Snippet.all().stream()
                .filter(s -> s.page().equals(page) && s.is("xml"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(page + " has no XML"));
        return Arrays.stream(xml.text().split("\n"))
                .map(String::strip)
                .filter(line -> line.startsWith("<artifactId>jwarp-"))
                .map(line -> line.replaceAll("<[^>]*>", ""))
                .toList();
    }

    private List<String> commands(String program) {
        return snippets.stream()
                .filter(s -> s.is("sh") && s.text().contains(" " + program + " "))
                .map(s -> s.text().strip())
                .toList();
    }

    private String command(String program) {
        assertThat(commands(program)).as("commands that start %s", program).hasSize(1);
        return commands(program).get(0);
    }

    /** Starts a command of the page, with the classes of this build in place of the project's. */
    private Process start(String command, String port, Path output) throws IOException {
        List<String> words = new ArrayList<>();
        for (String word : command.split(" ", -1)) {
            words.add(word.equals(PORT) ? port : word);
        }
        words.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.set(words.indexOf("-cp") + 1, folder + ":" + System.getProperty("java.class.path"));
        words.addAll(1, List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        // The test class path has its own log configuration; this one logs errors only, so that standard output has no
        // other lines.
        words.add(1, "-Dlogback.configurationFile=" + quiet());
        return new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private Path quiet() throws IOException {
        return Files.writeString(folder.resolve("quiet.xml"), "<configuration><root level=\"OFF\"/></configuration>");
    }
}
