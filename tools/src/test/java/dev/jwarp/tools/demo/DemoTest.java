package dev.jwarp.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.Snapshot;
import dev.jwarp.tools.Snapshot.Mask;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {
    private static final Mask PORT = new Mask("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT");
    private static final Mask TIMES = new Mask(" +[0-9.]+ +[0-9.]+ +(equal|DIFFERS)", "  TIME  RATE  $1");
    private static final Mask SENT = new Mask("datagrams: \\d+ sent", "datagrams: N sent");
    private static final Mask HEADER = new Mask("time_ms +rate_MiB/s", "time_ms  rate_MiB/s");

    @Test
    @DisplayName("a file arrives whole by each operation")
    void fileArrivesWholeInAllWays() {
        Run demo = Run.of("demo", "--size", "3M", "--message-size", "64K", "--quiet");

        Snapshot.assertMatches("demo", demo, PORT, TIMES, HEADER, SENT);
    }

    @Test
    @DisplayName("threads of the transport move the file, too")
    void threadsOfTransportDoItToo() {
        Run demo = Run.of("demo", "--size", "1M", "--message-size", "64K", "--quiet", "--progress", "threaded");

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(demo.out().lines().filter(line -> line.endsWith(" equal"))).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4095, 4096, 4097, 100_000})
    @DisplayName("the last message may be short")
    void lastMessageMayBeShort(long size) throws Exception {
        Run demo = Run.of("demo", "--size", "" + size, "--message-size", "4096", "--json");

        JsonNode document = new ObjectMapper().readTree(demo.out());
        assertThat(demo.status()).as(demo.toString()).isZero();
        for (JsonNode row : document.path("result").path("operations")) {
            assertThat(row.path("equal").asBoolean()).isTrue();
            assertThat(row.path("bytes").asLong()).isEqualTo(size);
            assertThat(row.path("messages").asLong()).isEqualTo((size + 4095) / 4096);
            assertThat(row.path("sha256").asText())
                    .isEqualTo(document.path("result").path("sha256").asText());
        }
        assertThat(document.path("result").path("operations")).hasSize(3);
    }

    @Test
    @DisplayName("a real file has the hash that others compute")
    void realFileHasHashThatOthersCompute(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "iWARP".repeat(10_000), StandardCharsets.US_ASCII);

        Run demo = Run.of("demo", "--file", file.toString(), "--message-size", "1000");

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(demo.out())
                .contains("SHA-256 "
                        + HexFormat.of().formatHex(Transfer.sha256Digest().digest(Files.readAllBytes(file))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--markers", "--crc off", "--markers --crc off", "--peer-to-peer", "--set jwarp.mpa.revision=1"})
    @DisplayName("every way to connect works")
    void everyWayToConnectWorks(String flags) {
        Run demo = Run.of(("demo --size 256K " + flags).split(" "));

        assertThat(demo.status()).as(demo.toString()).isZero();
        assertThat(demo.out()).containsPattern("RDMA Write .* equal").containsPattern("Send/Receive .* equal");
    }

    @Test
    @DisplayName("a difference ends with 1 and names the first wrong offset")
    void differenceEndsWith1AndNamesFirstWrongOffset() {
        Run demo = Run.of("demo", "--size", "1M", "--corrupt", "700001", "--quiet");

        Snapshot.assertMatches("demo-corrupt", demo, PORT, TIMES, HEADER);
        assertThat(demo.status()).isEqualTo(1);
        assertThat(demo.err()).contains("RDMA Write: first at offset 700001: 0x");
    }

    @Test
    @DisplayName("the first wrong offset is in the JSON too")
    void firstWrongOffsetIsInJsonToo() throws Exception {
        Run demo = Run.of("demo", "--size", "2M", "--corrupt", "1700000", "--json");

        JsonNode document = new ObjectMapper().readTree(demo.out());
        assertThat(demo.status()).isEqualTo(1);
        assertThat(document.path("status").asText()).isEqualTo("failed");
        for (JsonNode row : document.path("result").path("operations")) {
            assertThat(row.path("first_difference").asLong()).isEqualTo(1_700_000);
            assertThat(row.path("equal").asBoolean()).isFalse();
        }
    }

    @Test
    @DisplayName("a capture is a pcap file with the set up in it")
    void captureIsPcapFileWithSetUpInIt(@TempDir Path folder) throws Exception {
        Path capture = folder.resolve("demo.pcap");

        Run demo = Run.of("demo", "--size", "64K", "--pcap", capture.toString());

        assertThat(demo.status()).as(demo.toString()).isZero();
        byte[] octets = Files.readAllBytes(capture);
        String hex = HexFormat.of().formatHex(octets);
        assertThat(hex.substring(0, 8)).isIn("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1");
        assertThat(new String(octets, StandardCharsets.ISO_8859_1)).contains("MPA ID Req Frame", "MPA ID Rep Frame");
        assertThat(octets.length).isGreaterThan(3 * 65_536);
    }

    @Test
    @DisplayName("it listens where it is told to")
    void itListensWhereItIsToldTo() throws Exception {
        try (HeldPort held = new HeldPort();
                ServerSocket taken = new ServerSocket(held.number(), 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(held.number());

            Run busy = Run.of("demo", "--size", "1K", "-p", port);
            assertThat(busy.status()).as(busy.toString()).isEqualTo(3);
            assertThat(busy.err()).contains("127.0.0.1:" + port);

            taken.close();
            Run free = Run.of("demo", "--size", "1K", "-p", port);
            assertThat(free.status()).as(free.toString()).isZero();
            assertThat(free.out()).contains("through 127.0.0.1:" + port);
        }
    }

    @Test
    @DisplayName("a port out of range is refused")
    void portOutOfRangeIsRefused() {
        Run demo = Run.of("demo", "-p", "65536");

        assertThat(demo.status()).as(demo.toString()).isEqualTo(2);
        assertThat(demo.err()).contains("-p 65536 is out of range");
    }

    @Test
    @DisplayName("a folder that is not there is told before anything starts")
    void folderThatIsNotThere(@TempDir Path folder) {
        Run demo = Run.of(
                "demo", "--pcap", folder.resolve("none").resolve("x.pcap").toString());

        assertThat(demo.status()).as(demo.toString()).isEqualTo(2);
        assertThat(demo.err()).contains("the folder does not exist");
    }

    @Test
    @DisplayName("the cause of a failure is told not its echo at the other end")
    void causeOfFailureIsToldNotItsEchoAtOtherEnd() {
        Content broken = new Content.Generated(1 << 20, 1) {
            @Override
            public void read(long offset, ByteBuffer target) {
                throw ToolFailure.failed("the disk is gone");
            }
        };
        Content good = Content.generated(1 << 20, 1);

        assertThatThrownBy(() -> demo(Run.later().console(), Patience.LIMIT).execute(broken, good, Map.of()))
                .hasMessage("the disk is gone");
        assertThatThrownBy(() -> demo(Run.later().console(), Patience.LIMIT).execute(good, broken, Map.of()))
                .hasMessage("the disk is gone");
    }

    private static StreamDemo demo(Console console, Duration limit) {
        return new StreamDemo(RdmaProvider.load().devices().get(0), settings(limit), console);
    }

    @Test
    @DisplayName("an end does not count the time in which the file is compared, however long that takes")
    void endDoesNotCountTimeOfComparison() {
        AtomicLong skipped = new AtomicLong();
        Console world = Run.later().console();
        Console console = new Console(
                world.out(),
                world.err(),
                () -> System.nanoTime() + skipped.get(),
                world.environment(),
                world.properties(),
                world.interruption(),
                world.ansi());
        Content slow = new Content.Generated(1 << 20, 1) {
            @Override
            public void read(long offset, ByteBuffer target) {
                super.read(offset, target);
                skipped.addAndGet(Duration.ofMinutes(2).toNanos());
            }
        };
        assertThat(demo(console, Duration.ofMinutes(1)).execute(Content.generated(1 << 20, 1), slow, Map.of()))
                .hasSize(3);
    }

    @Test
    @DisplayName("an end that waits in vain says that both run in one process")
    void endThatWaitsInVain() {
        Device device = RdmaProvider.load().devices().get(0);
        Console console = Run.later().console();
        StreamDemo demo = new StreamDemo(device, settings(Duration.ofMillis(20)), console);
        try (Context context = device.open();
                Context servers = device.open();
                Listening listening = Listening.quietly(
                        servers, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Link link = Link.to(listening.address(), null, context, console, new Link.Depths(1, 1))) {

            assertThatThrownBy(() -> demo.await(link, WorkCompletionOpcode.RECV, 1))
                    .isInstanceOfSatisfying(
                            ToolFailure.class,
                            told -> assertThat(told.details())
                                    .anyMatch(line -> line.startsWith("both ends run in this process")))
                    .hasMessageStartingWith("no RECV completion from 127.0.0.1:")
                    .hasMessageEndingWith(" within 0.02 s");
        }
    }

    private static DemoSettings settings(Duration limit) {
        return new DemoSettings(1 << 16, 1 << 20, 0, limit, -1, true);
    }

    @Test
    @DisplayName("Ctrl c ends it with 130")
    void ctrlCEndsItWith130() throws Exception {
        try (Run.Background demo = Run.inBackground("demo", "--size", "1T", "--json")) {
            demo.interrupt();

            assertThat(demo.await().status()).as(demo.run().toString()).isEqualTo(130);
            assertThat(new ObjectMapper()
                            .readTree(demo.run().out())
                            .path("status")
                            .asText())
                    .isEqualTo("interrupted");
        }
    }
}
