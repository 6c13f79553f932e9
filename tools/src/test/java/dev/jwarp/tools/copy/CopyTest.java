package dev.jwarp.tools.copy;

import static dev.jwarp.tools.Listeners.port;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.tools.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp cp")
class CopyTest {
    private static final int BYTES = 5_000_001;
    private static final byte[] DATA = new byte[BYTES];

    static {
        new Random(1).nextBytes(DATA);
    }

    @TempDir
    Path here;

    @TempDir
    Path there;

    private Path big = Path.of("");

    @BeforeEach
    void write() throws IOException {
        big = Files.write(here.resolve("big"), DATA);
        Files.setLastModifiedTime(big, FileTime.fromMillis(1_000_000_000_000L));
    }

    private Run.Background serve(String... more) {
        List<String> words = new ArrayList<>(List.of("cp", "--serve", there.toString(), "-a", "127.0.0.1", "-p", "0"));
        words.addAll(Arrays.asList(more));
        return Run.inBackground(words.toArray(String[]::new));
    }

    private static Run send(Run.Background server, String... words) {
        List<String> all = new ArrayList<>(List.of("cp", "-p", port(server)));
        all.addAll(Arrays.asList(words));
        return Run.of(all.toArray(String[]::new));
    }

    private static void assertWell(Run run) {
        assertThat(run.status()).as(run.toString()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--crc=on", "--one-sided", "--tcp"})
    @DisplayName("copies a folder with its content: names, times and every byte:")
    void folder(String how) throws Exception {
        Path folder = Files.createDirectories(here.resolve("all/empty")).getParent();
        Files.createDirectories(folder.resolve("a/b"));
        Files.copy(big, folder.resolve("a/b/big"));
        Files.setLastModifiedTime(folder.resolve("a/b/big"), FileTime.fromMillis(1_000_000_000_000L));
        Files.writeString(folder.resolve("größe 1.txt"), "one\n");
        Files.createFile(folder.resolve("nothing"));
        Files.createSymbolicLink(folder.resolve("link"), Path.of("nothing"));
        try (Run.Background server = how.equals("--tcp") ? serve("-n", "1", how) : serve("-n", "1")) {
            Run run = send(server, how, folder.toString(), "127.0.0.1:");
            assertWell(run);
            assertThat(run.out()).startsWith("cp: 3 files, 4 folders, 5000005 bytes in ");
            assertThat(run.err()).contains("link is neither a file nor a folder, and is skipped");
            assertWell(server.await());
        }
        Path copy = there.resolve("all");
        assertThat(copy.resolve("a/b/big")).hasBinaryContent(DATA);
        assertThat(Files.getLastModifiedTime(copy.resolve("a/b/big")).toMillis())
                .isEqualTo(1_000_000_000_000L);
        assertThat(copy.resolve("größe 1.txt")).hasContent("one\n");
        assertThat(copy.resolve("nothing")).isEmptyFile();
        assertThat(copy.resolve("empty")).isEmptyDirectory();
        try (Stream<Path> all = Files.walk(there)) {
            assertThat(all.map(path -> path.getFileName().toString())).noneMatch(name -> name.endsWith("part"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("continues an interrupted copy if the target has a part of the file (one-sided):")
    void resumes(boolean oneSided) throws Exception {
        String how = oneSided ? "--one-sided" : "--crc=on";
        Path part = there.resolve(".big.jwcp-part");
        try (Run.Background server = serve("-n", "3")) {
            Files.write(part, Arrays.copyOf(DATA, 3_000_000));
            Run rest = send(server, how, big.toString(), "127.0.0.1:");
            assertWell(rest);
            assertThat(rest.out()).contains(" 2000001 bytes in ", "; 1 resumed");
            assertThat(there.resolve("big")).hasBinaryContent(DATA);

            byte[] other = Arrays.copyOf(DATA, 3_000_000);
            other[2_999_999]++;
            Files.write(part, other);
            Run whole = send(server, how, big.toString(), "127.0.0.1:");
            assertWell(whole);
            assertThat(whole.out()).contains(" 5000001 bytes in ").doesNotContain("resumed");
            assertThat(there.resolve("big")).hasBinaryContent(DATA);

            Files.write(part, new byte[BYTES + 5]);
            assertWell(send(server, how, big.toString(), "127.0.0.1:new/name", "--json"));
            assertThat(there.resolve("new/name")).hasBinaryContent(DATA);
            assertWell(server.await());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--crc=on", "--one-sided"})
    @DisplayName("reports that no space is left, keeps the part, and continues when there is space:")
    void fullDisk(String how) throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", there.toString()), "a small tmpfs needs root");
        try (Run.Background server = serve("-n", "2")) {
            Run run = send(server, how, big.toString(), "127.0.0.1:");
            assertThat(run.status()).as(run.toString()).isEqualTo(1);
            assertThat(run.err())
                    .containsPattern(
                            "error: big: no space is left at the destination: 4[0-9]{6} of 5000001 bytes are kept;"
                                    + " make room, and copy again to resume");
            assertThat(there.resolve("big")).doesNotExist();
            assertThat(there.resolve(".big.jwcp-part")).isNotEmptyFile();

            assertThat(run("mount", "-o", "remount,size=16m", there.toString())).isTrue();
            Run rest = send(server, how, big.toString(), "127.0.0.1:");
            assertWell(rest);
            assertThat(rest.out()).contains("; 1 resumed");
            assertThat(there.resolve("big")).hasBinaryContent(DATA);
            assertWell(server.await());
            assertThat(server.run().err())
                    .containsOnlyOnce(": big: no space is left")
                    .containsOnlyOnce("are kept");
        } finally {
            assertThat(run("umount", there.toString())).isTrue();
        }
    }

    private static boolean run(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor() == 0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "a/../../outside", "a//b", ".", "out/x", ".x.jwcp-part"})
    @DisplayName("writes only into the served folder, and says why it refuses:")
    void outside(String name) throws Exception {
        Path outside = Files.createDirectory(here.resolve("outside"));
        Files.createSymbolicLink(there.resolve("out"), outside);
        try (Run.Background server = serve("-n", "1")) {
            Run run = send(server, big.toString(), "127.0.0.1:" + name);
            assertThat(run.status()).as(run.toString()).isEqualTo(1);
            assertThat(run.err())
                    .containsPattern("error: .*: '.*' (is not a path within|leads out of) the served folder");
            assertWell(server.await());
        }
        assertThat(outside).isEmptyDirectory();
        assertThat(here.resolve("outside")).isDirectory();
    }

    @Test
    @DisplayName("follows a link within the served folder")
    void linkWithin() throws Exception {
        Path real = Files.createDirectories(there.resolve("a/real"));
        Files.createSymbolicLink(there.resolve("link"), real);
        Files.createSymbolicLink(real.resolve("up"), there);
        try (Run.Background server = serve("-n", "1")) {
            assertWell(send(server, big.toString(), "127.0.0.1:link/new/up"));
            assertWell(server.await());
        }
        assertThat(real.resolve("new/up")).hasBinaryContent(DATA);
        try (Run.Background server = serve("-n", "1")) {
            assertWell(send(server, big.toString(), "127.0.0.1:a/real/up/top"));
            assertWell(server.await());
        }
        assertThat(there.resolve("top")).hasBinaryContent(DATA);
    }

    @Test
    @DisplayName("reports a refusal of the other end at once, in the middle of a file, too")
    void refused() throws Exception {
        Files.createDirectory(there.resolve("taken"));
        try (Run.Background server = serve("-n", "2")) {
            Run run = send(server, big.toString(), "127.0.0.1:taken");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .contains("error: taken: is a folder at the destination: end the path with / to copy into it");
            assertWell(send(server, big.toString(), "127.0.0.1:taken/"));
            assertThat(there.resolve("taken/big")).hasBinaryContent(DATA);
            assertWell(server.await());
        }
    }

    @Test
    @DisplayName("serves on after strangers at its port")
    void strangers() throws Exception {
        try (Run.Background server = serve("--tcp")) {
            int port = Integer.parseInt(port(server));
            try (SocketChannel stranger =
                    SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                stranger.write(ByteBuffer.wrap("GET / HTTP/1.0\r\n\r\n".getBytes(UTF_8)));
                stranger.shutdownOutput();
                assertThat(stranger.read(ByteBuffer.allocate(10))).isNegative();
            }
            assertWell(send(server, "--tcp", big.toString(), "127.0.0.1:"));
        }
        assertThat(there.resolve("big")).hasBinaryContent(DATA);
    }

    @Test
    @DisplayName("reports a missing server and a missing file")
    void nothing() {
        Run none = Run.of("cp", "-p", "1", big.toString(), "127.0.0.1:");
        assertThat(none.status()).isEqualTo(3);
        assertThat(none.err()).contains("is 'jwarp cp --serve FOLDER' running there?");
        Run file = Run.of("cp", here.resolve("no").toString(), "127.0.0.1:");
        assertThat(file.status()).isEqualTo(3);
        assertThat(file.err()).contains("error: there is no ");
    }

    @Test
    @DisplayName(
            "takes names as long as file systems have them, and links that are named; leaves out parts of other copies")
    void names() throws Exception {
        Path folder = Files.createDirectory(here.resolve("folder"));
        String longest = "ü".repeat(127) + "x";
        Files.writeString(folder.resolve(longest), "long");
        Files.writeString(folder.resolve(".a.jwcp-part"), "part");
        Path link = Files.createSymbolicLink(here.resolve("link"), folder);
        try (Run.Background server = serve("-n", "1")) {
            Run run = send(server, link.toString(), "127.0.0.1:");
            assertWell(run);
            assertThat(run.out())
                    .startsWith("cp: 1 file, 1 folder, 4 bytes in ")
                    .contains("; 1 left out");
            assertThat(run.err()).contains(".a.jwcp-part is a part of an interrupted copy, and is skipped");
            assertWell(server.await());
        }
        assertThat(there.resolve("link/" + longest)).hasContent("long");
        try (Stream<Path> all = Files.list(there.resolve("link"))) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    @DisplayName("a name that is no text is left out, the others are copied, and the status is 1")
    void noText() throws Exception {
        Path folder = Files.createDirectory(here.resolve("folder"));
        Files.writeString(folder.resolve("good"), "good");
        Process shell = new ProcessBuilder("sh", "-c", "echo bad > \"$(printf 'bad\\377')\"")
                .directory(folder.toFile())
                .start();
        assertThat(shell.waitFor()).isZero();
        try (Run.Background server = serve("-n", "1")) {
            Run run = send(server, folder.toString(), "127.0.0.1:");
            assertThat(run.status()).as(run.toString()).isEqualTo(1);
            assertThat(run.out()).startsWith("cp: 1 file, 1 folder, 4 bytes").contains("; 1 failed");
            assertThat(run.err())
                    .contains("has a name that the character set of this process cannot represent")
                    .contains("error: 1 of the files and folders was not copied");
            assertWell(server.await());
        }
        assertThat(there.resolve("folder/good")).hasContent("good");
        try (Stream<Path> all = Files.list(there.resolve("folder"))) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    @DisplayName("refuses what is no file and two files of one name before it copies")
    void wrongSources() throws Exception {
        Path special = here.resolve("socket");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(special));
            Run run = Run.of("cp", special.toString(), "127.0.0.1:");
            assertThat(run.status()).isEqualTo(3);
            assertThat(run.err()).contains("error: " + special + " is neither file nor folder");
        }
        Path other = Files.write(Files.createDirectory(here.resolve("other")).resolve("big"), DATA);
        Run run = Run.of("cp", big.toString(), other.toString(), "127.0.0.1:into/");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("error: two sources would have the same name at the destination: into/big");
    }

    @Test
    @DisplayName("reports a file in the place of a folder, without a path of the other host")
    void fileForFolder() throws Exception {
        Files.writeString(there.resolve("all"), "file");
        Path folder = Files.createDirectory(here.resolve("all"));
        try (Run.Background server = serve("-n", "2")) {
            for (String name : List.of("127.0.0.1:", "127.0.0.1:all/all")) {
                Run run = send(server, folder.toString(), name);
                assertThat(run.status()).isEqualTo(1);
                assertThat(run.err())
                        .contains("a file is in the place of a folder")
                        .doesNotContain(there.toString());
            }
            assertWell(server.await());
        }
        assertThat(there.resolve("all")).hasContent("file");
    }
}
