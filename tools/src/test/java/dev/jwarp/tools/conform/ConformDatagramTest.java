package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examination of datagrams, from the command line; that jwarp passes all of it is in {@link ConformSelfTest}. */
class ConformDatagramTest {
    @Test
    @DisplayName("there are many cases all of them about the document of datagrams")
    void thereAreManyCasesAll() {
        Run run = Run.of("conform", "--list", "--datagram");

        assertThat(run.out().lines()).hasSizeGreaterThan(150).allMatch(line -> line.startsWith("DG-"));
    }

    @Test
    @DisplayName("a target that listens is examined from another process")
    void targetThatListensIsExaminedFromAnotherProcess() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        Run tester = Run.of(
                "conform",
                "--datagram",
                "--peer",
                "127.0.0.1:" + Listeners.port(target),
                "--quiet-time",
                "0.05",
                "DG-4.6",
                "datagram/8/1",
                "DG-11.2-2:ahead@datagram");
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out()).endsWith("8 tests, 8 passed, 0 skipped, 0 failed" + System.lineSeparator());
        assertThat(target.await().out()).contains("conversations");
    }

    @Test
    @DisplayName("without strict what is only recommended is skipped")
    void withoutStrictWhatIsOnlyRecommendedIsSkipped() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        Run tester = Run.of("conform", "--datagram", "--peer", "127.0.0.1:" + Listeners.port(target), "DG-4.5-4");
        target.interrupt();

        assertThat(tester.out()).contains("1 tests, 0 passed, 1 skipped, 0 failed");
        target.await();
    }

    @Test
    @DisplayName("a device that connects cannot be examined")
    void deviceThatConnectsCannotBeExamined() {
        Run run = Run.of("conform", "--datagram", "--listen", "0");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--datagram needs --peer or --self");
    }

    private static final String ENVELOPES = "DG-K";

    private static Path keys(Path folder) throws Exception {
        String secret = "hex:" + "a7".repeat(32);
        Path file = Files.writeString(
                folder.resolve("keys.txt"),
                "5 send " + secret + " any hmac-sha-256\n6 receive " + secret + " any aes-128-gcm\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    @Test
    @DisplayName("a target with keys is examined with the same file")
    void targetWithKeys(@TempDir Path folder) throws Exception {
        Path keys = keys(folder);
        Run.Background target = Run.inBackground(
                "conform-target", "--datagram", "--listen", "127.0.0.1:0", "--set", "jwarp.udp.keys=" + keys);
        String peer = "127.0.0.1:" + Listeners.port(target);
        Run tester = Run.of(
                "conform", "--datagram", "--peer", peer, "--quiet-time", "0.05", "--keys", keys.toString(), ENVELOPES);
        Run without = Run.of("conform", "--datagram", "--peer", peer, "-v", "DG-K.7-4", "DG-4.4-11");
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out()).endsWith("15 tests, 15 passed, 0 skipped, 0 failed" + System.lineSeparator());
        assertThat(without.out()).contains("needs --keys FILE").contains("2 tests, 1 passed, 1 skipped, 0 failed");
        target.await();
    }

    @Test
    @DisplayName("a target without keys cannot be examined for envelopes, and is charged with nothing")
    void targetWithoutKeys(@TempDir Path folder) throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        String peer = "127.0.0.1:" + Listeners.port(target);
        Run tester = Run.of(
                "conform",
                "--datagram",
                "--peer",
                peer,
                "-v",
                "--keys",
                keys(folder).toString(),
                ENVELOPES);
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out())
                .contains("needs a datagram target with keys")
                .contains("15 tests, 0 passed, 15 skipped, 0 failed");
        target.await();
    }

    @Test
    @DisplayName("keys that say nothing, or cannot be read, are refused")
    void keysRefused(@TempDir Path folder) throws Exception {
        String keys = keys(folder).toString();

        assertThat(Run.of("conform", "--self", "--keys", keys).err()).contains("--keys has no effect with --self");
        assertThat(Run.of("conform", "--peer", "127.0.0.1:1", "--keys", keys).err())
                .contains("--keys is for --datagram");
        Run none = Run.of("conform", "--datagram", "--peer", "127.0.0.1:1", "--keys", keys + "-none");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.err()).contains("cannot be read");
    }
}
