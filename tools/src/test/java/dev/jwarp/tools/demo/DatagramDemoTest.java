package dev.jwarp.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import dev.jwarp.tools.Snapshot.Mask;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatagramDemoTest {
    private static final Mask PORT = new Mask("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT");
    private static final Mask TIMES = new Mask(" +[0-9.]+ +[0-9.]+ +(equal|DIFFERS)", "  TIME  RATE  $1");
    private static final Mask HEADER = new Mask("time_ms +rate_MiB/s", "time_ms  rate_MiB/s");
    private static final Mask SENT = new Mask("datagrams: \\d+ sent, \\d+ lost", "datagrams: N sent, N lost");
    private static final Mask REREADS = new Mask("( +[1-9][0-9]*)  TIME", "  REREADS  TIME");

    private static JsonNode json(Run demo) throws Exception {
        return new ObjectMapper().readTree(demo.out()).path("result").path("datagrams");
    }

    @Test
    @DisplayName("without loss nothing is read again")
    void withoutLossEverythingComesAtOnce() throws Exception {
        Run demo = Run.of("demo", "--datagram", "--size", "3M", "--quiet", "--json");

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(json(demo).path("operations")).hasSize(2);
        for (JsonNode row : json(demo).path("operations")) {
            assertThat(row.path("messages").asLong()).isEqualTo(48);
            assertThat(row.path("missing_bytes").asLong()).as(demo.toString()).isZero();
            assertThat(row.path("equal").asBoolean()).isTrue();
        }
        assertThat(json(demo).path("datagrams_injected_loss").asLong()).isZero();
    }

    @Test
    @DisplayName("with loss the holes are shown and repaired and the same seed makes the same")
    void withLossHolesAreShown() {
        Run demo = Run.of("demo", "--datagram", "--loss", "5%", "--seed", "1", "--size", "2M", "--quiet");

        Snapshot.assertMatches("demo-datagram-loss", demo, PORT, TIMES, HEADER, SENT, REREADS);
        assertThat(demo.status()).as(demo.toString()).isZero();
    }

    @Test
    @DisplayName("another seed makes other holes and the file arrives, too")
    void anotherSeedMakesOtherHoles() throws Exception {
        Run one = Run.of("demo", "--datagram", "--loss", "0.05", "--seed", "2", "--size", "1M", "--json");
        Run two = Run.of("demo", "--datagram", "--loss", "0.05", "--seed", "3", "--size", "1M", "--json");

        assertThat(one.status()).as(one.toString()).isZero();
        assertThat(two.status()).as(two.toString()).isZero();
        assertThat(json(one).path("operations").path(0).path("holes"))
                .isNotEqualTo(json(two).path("operations").path(0).path("holes"))
                .isNotEmpty();
    }

    @Test
    @DisplayName("threads of the transport move the file, too")
    void threadsOfTransportDoItToo() {
        Run demo = Run.of("demo", "--datagram", "--loss", "2%", "--size", "1M", "--progress", "threaded", "--quiet");

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(demo.out()).containsPattern("Write-Record .* equal").containsPattern("UD Read .* equal");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4095, 4096, 4097, 100_000})
    @DisplayName("the last message may be short")
    void lastMessageMayBeShort(long size) throws Exception {
        Run demo = Run.of("demo", "--datagram", "--size", "" + size, "--message-size", "4096", "--json");

        assertThat(demo.status()).as(demo.toString()).isZero();
        for (JsonNode row : json(demo).path("operations")) {
            assertThat(row.path("equal").asBoolean()).isTrue();
            assertThat(row.path("messages").asLong()).isEqualTo((size + 4095) / 4096);
        }
    }

    @Test
    @DisplayName("a difference ends with 1 and names the first wrong offset")
    void differenceEndsWith1AndNamesFirstWrongOffset() {
        Run demo = Run.of("demo", "--datagram", "--size", "1M", "--corrupt", "700001", "--quiet");

        assertThat(demo.status()).as(demo.toString()).isEqualTo(1);
        assertThat(demo.err()).contains("Write-Record: first at offset 700001: 0x");
    }

    @Test
    @DisplayName("a capture has datagrams in it")
    void captureHasDatagramsInIt(@TempDir Path folder) throws Exception {
        Path capture = folder.resolve("datagrams.pcap");

        Run demo = Run.of("demo", "--datagram", "--size", "64K", "--pcap", capture.toString());

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(Files.size(capture)).isGreaterThan(2 * 65_536);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--loss 101%: 101% is more than the demo can repair",
                "--loss x: x is not a share",
                "--loss -1: -1 is not a share",
                "--loss 60%: 60% is more than the demo can repair",
                "--datagram --crc off: are for connections",
                "--datagram --markers: are for connections",
                "--loss 1% --set jwarp.udp.inject=loss=2%: give only one of them"
            })
    @DisplayName("impossible flags are refused")
    void whatCannotBeIsRefused(String flagsAndWords) {
        String[] parts = flagsAndWords.split(": ", 2);
        Run demo = Run.of(("demo " + parts[0]).split(" "));

        assertThat(demo.status()).as(demo.toString()).isEqualTo(2);
        assertThat(demo.err()).contains(parts[1]);
    }
}
