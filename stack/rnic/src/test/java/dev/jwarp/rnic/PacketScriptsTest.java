package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** {@code -Djwarp.script=PART} plays only the scripts whose name contains that part. */
@DisplayName("Packet scripts")
class PacketScriptsTest {
    private static final String FOLDER = "dev/jwarp/scripts";
    private static final String PART = System.getProperty("jwarp.script", "");

    @TestFactory
    @DisplayName("run as written:")
    List<DynamicTest> scripts() throws IOException, URISyntaxException {
        URL folder = Objects.requireNonNull(
                PacketScriptsTest.class.getClassLoader().getResource(FOLDER), "no folder " + FOLDER);
        URI uri = folder.toURI();
        List<DynamicTest> tests = new ArrayList<>();
        if (uri.getScheme().equals("jar")) {
            try (FileSystem archive = FileSystems.newFileSystem(uri, Map.of())) {
                addAll(archive.getPath(FOLDER), tests);
            }
        } else {
            addAll(Path.of(uri), tests);
        }
        assertThat(tests).as("scripts whose name contains \"" + PART + "\"").isNotEmpty();
        return tests;
    }

    private static void addAll(Path folder, List<DynamicTest> tests) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".pkt"))
                    .sorted()
                    .toList()) {
                String name = folder.relativize(file).toString();
                String content = Files.readString(file);
                if (name.contains(PART)) {
                    String title = content.lines().findFirst().orElse("").replaceFirst("^#\\s*", "");
                    tests.add(
                            DynamicTest.dynamicTest(name + "  " + title, () -> new PacketScript(name, content).run()));
                }
            }
        }
    }

    private static void assertFailure(String script, String... words) {
        assertThatThrownBy(() -> new PacketScript("some.pkt", script).run())
                .isInstanceOf(AssertionError.class)
                .message()
                .contains(words);
    }

    @Test
    @DisplayName("that fail report line, field, expected and actual value, and time")
    void failures() {
        String begin = "given initiator\nA.post_send wr=1 send data=\"abc\"\n";
        assertFailure(
                begin + "+0 > untagged L send msn=2\n",
                "some.pkt:3: msn: expected 2 (2), actual 1, at t=0.0",
                "bytes 0015");
        assertFailure(begin + "> untagged send\n", "some.pkt:3: L: expected no, actual yes");
        assertFailure(begin + "> tagged L write\n", "ddp: expected tagged, actual untagged");
        assertFailure(begin + "> untagged L send data=\"abd\"\n", "data: expected \"abd\", actual \"abc\"");
        assertFailure(begin + "> untagged L send\n> fin\n", "some.pkt:4: output: expected fin, actual none");
        assertFailure(begin + "> nothing\n", "output: expected none, actual {");
        assertFailure(begin + "> untagged L send\n", "completion after the last line: expected none");
        assertFailure(begin + "A.wc SUCCESS wr=2\n", "wr: expected 2, actual 1");
        assertFailure(begin + "A.wc SUCCESS\n", "output after the last line");
        assertFailure(begin + "A.dance\n", "A cannot dance");
        assertFailure(begin + "+5ms > untagged L send\n", "time: expected 0.005000 s, actual 0.000000 s");
        assertFailure("given nothing\nA.wc none", "some.pkt:1: begins with: given");
    }
}
