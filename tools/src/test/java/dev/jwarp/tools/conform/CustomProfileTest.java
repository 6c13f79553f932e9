package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code jwarp conform --profile custom}, with the files that docs/conformance/custom.md shows. */
class CustomProfileTest {
    private static final Pattern FILE = Pattern.compile("(?s)```\n(.*?)```");

    @TempDir
    private Path folder;

    private Path echo;
    private Path server;
    private Path client;

    /** The page's files: its blocks without a kind, in order. */
    @BeforeEach
    void files() throws IOException {
        String page = Files.readString(Path.of("../docs/conformance/custom.md"));
        List<Path> files = new ArrayList<>();
        Matcher block = FILE.matcher(page.replaceAll("(?s)```[a-z]+\n.*?\n```\n", ""));
        while (block.find()) {
            files.add(Files.writeString(folder.resolve(files.size() + ".txt"), block.group(1)));
        }
        assertThat(files).hasSize(3);
        echo = files.get(0);
        server = files.get(1);
        client = files.get(2);
    }

    @Test
    @DisplayName("rping's server as a file gets the same verdicts as with --profile rping")
    void rpingAsFile() throws Exception {
        try (Run.Background rping = Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0")) {
            String at = "127.0.0.1:" + Listeners.port(rping);
            Map<String, String> built =
                    verdicts(Run.of("conform", "--peer", at, "--jobs", "4", "--timeout", "5", "--json"));
            Map<String, String> described = verdicts(custom(at, server, "--jobs", "4", "--timeout", "5", "--json"));
            rping.interrupt();

            assertThat(built).containsEntry("RDMAP-5.5-4:waits-for-the-last-segment@responder", "pass");
            assertThat(described).isEqualTo(built);
            assertThat(built).doesNotContainValue("fail");
        }
    }

    @Test
    @DisplayName("rping's client as a file is probed, and read from")
    void rpingClientAsFile() throws Exception {
        HeldPort held = new HeldPort();
        int port = held.number();
        String run = "conform --listen 127.0.0.1:" + port + " -v --profile custom --program " + client
                + " MPA-4.1-6 RDMAP-5.2.1-2 RDMAP-7.2-6 DDP-7.1-4";
        try (held;
                Run.Background tester = Run.inBackground(run.split(" "))) {
            CompletableFuture<Void> clients = CompletableFuture.runAsync(
                    () -> {
                        while (!tester.ended()) {
                            Run.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + port, "-C", "3", "--timeout", "5");
                        }
                    },
                    OwnThread.EACH);
            Run ended = tester.await();
            clients.join();

            assertThat(ended.status()).as(ended.toString()).isZero();
            assertThat(ended.out())
                    .containsPattern("ok +RDMAP-5.2.1-2:answers@initiator")
                    .containsPattern("ok +RDMAP-7.2-6:bounds@initiator")
                    .contains("needs a program whose receives have a size that is known");
        }
    }

    @Test
    @DisplayName("a program that echoes is described in some lines; a line that is wrong about it is named")
    void echoAsFile() throws Exception {
        try (EchoingProgram program = new EchoingProgram()) {
            Run good = custom(
                    program.address(), echo, "MPA-4.1 MPA-4.4 DDP-7.1-3 DDP-7.1-4 DDP-6.2.1-4 RDMAP-7.1-1".split(" "));
            Path small = Files.writeString(folder.resolve("small.txt"), "probe\ntakes 0102\nsends same\n");
            Run cut = custom(program.address(), small, "DDP-5.4-1");
            Path wrong = Files.writeString(folder.resolve("wrong.txt"), "probe\ntakes 0000\nsends 0001\n");
            Run bad = custom(program.address(), wrong, "DDP-7.1-3", "DDP-6.2.1-4");

            assertThat(good.status()).as(good.toString()).isZero();
            assertThat(good.out())
                    .containsPattern("ok +DDP-7.1-4:too-long@responder")
                    .containsPattern("ok +DDP-7.1-3:offset-behind@responder")
                    .containsPattern("ok +DDP-6.2.1-4:fin-for-fin@responder")
                    .contains("needs a program that sends on command");
            assertThat(cut.out()).containsPattern("ok +DDP-5.4-1:two-segments@responder");
            assertThat(bad.status()).isEqualTo(1);
            assertThat(bad.out())
                    .contains("the program never did what the file says: expected a Send with 0001 (line 3 of " + wrong
                            + "), got")
                    .contains(" 0 failed")
                    .contains("needs a program that closes when its peer does");
        }
    }

    @Test
    @DisplayName("a wrong file ends with 2, and a device that connects must speak first")
    void wrongFileEndsWith2() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.txt"), "closes\nprobes\n");
        Run run = custom("127.0.0.1:1", wrong);
        Run silent = Run.of("conform", "--listen", "0", "--profile", "custom", "--program", echo.toString());

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("error: " + wrong + ":2: probes is no keyword: use receives, closes");
        assertThat(silent.status()).isEqualTo(2);
        assertThat(silent.err()).startsWith("error: " + echo + ": a device that connects sends first");
    }

    private static Run custom(String at, Path file, String... more) {
        Stream<String> first = Stream.of("conform", "-v", "--peer", at, "--profile", "custom", "--program", "" + file);
        return Run.of(Stream.concat(first, Stream.of(more)).toArray(String[]::new));
    }

    private static Map<String, String> verdicts(Run run) throws IOException {
        Map<String, String> verdicts = new LinkedHashMap<>();
        for (JsonNode found : new ObjectMapper().readTree(run.out()).at("/result/cases")) {
            verdicts.put(found.path("id").asText(), found.path("verdict").asText());
        }
        assertThat(verdicts).as(run.toString()).hasSizeGreaterThan(200);
        return verdicts;
    }
}
