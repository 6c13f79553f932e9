package dev.jwarp.tools.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Run;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code jwarp decode -f}: a capture while it is being written. */
class FollowTest {
    private static final Path CAPTURES = Path.of("../conformance/src/test/resources/dev/jwarp/conformance/captures");

    @TempDir
    private Path folder;

    private static long lines(Run.Background background) {
        return background.run().out().lines().count();
    }

    private static byte[] capture() throws Exception {
        return Files.readAllBytes(CAPTURES.resolve("siw-rping.pcap"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a file that grows is followed, each line as soon as its last byte is there, until Ctrl-C")
    void fileThatGrowsIsFollowed(boolean next) throws Exception {
        byte[] whole = next ? Pcapng.of(capture()) : capture();
        Run plain = Run.of("decode", CAPTURES.resolve("siw-rping.pcap").toString());
        Path file = Files.write(folder.resolve("live"), Arrays.copyOf(whole, 10));
        try (Run.Background background = Run.inBackground("decode", "-f", file.toString())) {
            int at = 10;
            for (int to : new int[] {whole.length / 3, whole.length / 2, whole.length - 1, whole.length}) {
                Files.write(file, Arrays.copyOfRange(whole, at, to), StandardOpenOption.APPEND);
                at = to;
                byte[] soFar = Arrays.copyOf(whole, to);
                Path copy = Files.write(folder.resolve("copy"), soFar);
                String shown = Run.of("decode", copy.toString()).out();
                await().untilAsserted(() -> assertThat(background.run().out()).isEqualTo(shown));
            }
            assertThat(background.ended()).isFalse();
            background.interrupt();
            Run run = background.await();

            assertThat(run.status()).isEqualTo(130);
            assertThat(run.out()).startsWith(plain.out());
            assertThat(run.out().lines().toList().get((int) lines(background) - 1))
                    .startsWith("-- ")
                    .contains(" frames: ");
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    @DisplayName("with check a violation is a failure, at Ctrl-C, too")
    void violationIsFailureAtInterrupt() throws Exception {
        String file = CAPTURES.resolve("siw-terminates.pcap").toString();
        long lines = Run.of("decode", file).out().lines().count();
        try (Run.Background background = Run.inBackground("decode", "-f", "--check", file)) {
            await().until(() -> lines(background) == lines);
            background.interrupt();
            Run run = background.await();

            assertThat(run.status()).as(run.toString()).isEqualTo(1);
            assertThat(run.err()).startsWith("error: 8 violations in ");
        }
    }

    @Test
    @DisplayName("a pipe is read until its end, a line as soon as its last byte is there")
    void pipeIsReadUntilItsEnd() throws Exception {
        byte[] whole = capture();
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Run plain = Run.of("decode", CAPTURES.resolve("siw-rping.pcap").toString());
        try (Run.Background background = Run.inBackground("decode", "-f", pipe.toString());
                OutputStream out = Files.newOutputStream(pipe)) {
            out.write(whole, 0, whole.length / 2);
            out.flush();
            await().until(() -> lines(background) > 3);
            assertThat(background.ended()).isFalse();
            out.write(whole, whole.length / 2, whole.length - whole.length / 2);
            out.close();
            Run run = background.await();

            assertThat(run.status()).as(run.toString()).isZero();
            assertThat(run.out()).startsWith(plain.out()).contains("\n-- ");
        }
    }

    @Test
    @DisplayName("standard input is followed to its end")
    void standardInputIsFollowed() throws Exception {
        Run run = Run.later("decode");
        DecodeCommand command = new DecodeCommand(run.console(), new ByteArrayInputStream(capture()));

        assertThat(new CommandLine(command).execute("-f", "-")).isZero();

        assertThat(run.out())
                .startsWith(Run.of("decode", CAPTURES.resolve("siw-rping.pcap").toString())
                        .out())
                .endsWith("-- 43 frames: 43 of TCP in 1 connection, 0 of UDP\n");
    }

    @Test
    @DisplayName("a pipe that brings nothing is given up at Ctrl-C")
    void pipeThatBringsNothingIsGivenUp() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (Run.Background background = Run.inBackground("decode", "-f", pipe.toString())) {
            background.interrupt();

            assertThat(background.await().status()).isEqualTo(130);
            assertThat(background.run().err()).isEmpty();
        }
        // The thread that opens it is let go.
        Files.newOutputStream(pipe).close();
    }

    @Test
    @DisplayName("a pipe that ends in the middle of a frame is damaged")
    void pipeThatEndsInMiddleOfFrame() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (Run.Background background = Run.inBackground("decode", "-f", pipe.toString());
                OutputStream out = Files.newOutputStream(pipe)) {
            out.write(capture(), 0, 3000);
            out.close();

            Run run = background.await();
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("the capture ends in the middle of frame 11, at byte 3000");
        }
    }
}
