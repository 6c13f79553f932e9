package dev.jwarp.tools.perf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.perf.PerfSettings.AtomicKind;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.RateUnit;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.QueuePairType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A perf server that waits for one client, and strangers, in real bytes")
class PerfStrangersTest {
    private static final int START_FRAME = 20;
    private static final int REJECTED = 0x20;

    private static Run.Background server(String... more) {
        List<String> all = new ArrayList<>(List.of("perf", "-p", "0", "--bind_source_ip", "127.0.0.1", "-e"));
        all.addAll(List.of(more));
        return Run.inBackground(all.toArray(String[]::new));
    }

    private static Socket asking(Run.Background server, byte[] privateData) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(Listeners.port(server)));
        socket.setSoTimeout((int) Patience.LIMIT.toMillis());
        socket.getOutputStream()
                .write(ByteBuffer.allocate(START_FRAME + privateData.length)
                        .put("MPA ID Req Frame".getBytes(US_ASCII))
                        .put((byte) 0x40)
                        .put((byte) 1)
                        .putShort((short) privateData.length)
                        .put(privateData)
                        .array());
        return socket;
    }

    private static Hello hello(QueuePairType type, int size, int queuePairs) {
        return new Hello(
                PerfTest.SEND_BW,
                new Load(
                        type,
                        size,
                        false,
                        5,
                        Duration.ZERO,
                        false,
                        Duration.ZERO,
                        queuePairs,
                        false,
                        128,
                        0,
                        0,
                        RateUnit.M,
                        AtomicKind.FETCH_AND_ADD),
                "stranger");
    }

    /** A good client is served, and the server ends in order. */
    private static Run served(Run.Background server) throws Exception {
        Run client =
                Run.of("perf", "send_bw", "127.0.0.1", "-p", Listeners.port(server), "-e", "-n", "5", "--warmup", "0");
        assertThat(client.status())
                .as(client + "\nserver: " + server.run().err())
                .isZero();
        assertThat(server.await().status()).as(server.run().toString()).isZero();
        return server.run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("who asks for something else and leaves at once does not end it")
    void whoAsksForSomethingElse(String progress) throws Exception {
        try (Run.Background server = server("send_bw", "--progress", progress)) {
            for (int i = 0; i < 100; i++) {
                try (Socket stranger = asking(server, new byte[i % 4 * 24])) {
                    stranger.setSoLinger(true, 0);
                }
            }
            assertThat(served(server).err()).doesNotContain("a bug of jwarp");
        }
    }

    @ParameterizedTest
    @CsvSource({"RC, 536870912, 1", "RC, 65536, 256", "UD, 4096, 256", "RD, 134217728, 1"})
    @DisplayName("who asks for too much is told so")
    void whoAsksForTooMuchIsToldSo(QueuePairType type, int size, int queuePairs) throws Exception {
        try (Run.Background server = server("send_bw", "--max-memory", "64")) {
            try (Socket greedy = asking(server, hello(type, size, queuePairs).toOctets())) {
                byte[] reply = greedy.getInputStream().readAllBytes();
                assertThat(new String(reply, 0, 16, US_ASCII)).isEqualTo("MPA ID Rep Frame");
                assertThat(reply[16] & REJECTED).isEqualTo(REJECTED);
                assertThat(new String(reply, START_FRAME, reply.length - START_FRAME, US_ASCII))
                        .matches(
                                "the test needs about \\d+ MiB of memory; the limit of the server is 64 MiB \\(--max-memory\\)");
            }
            assertThat(served(server).err()).contains("refused a client: the test needs about ");
        }
    }

    @Test
    @DisplayName("what its own user asked for is not too much")
    void whatItsOwnUserAskedForIsNotTooMuch() throws Exception {
        try (Run.Background server = server("send_bw", "-s", "1048576", "--max-memory", "1")) {
            Run client = Run.of(
                    "perf",
                    "send_bw",
                    "127.0.0.1",
                    "-p",
                    Listeners.port(server),
                    "-s",
                    "1048576",
                    "-n",
                    "5",
                    "--warmup",
                    "0");
            assertThat(client.status()).as(client.toString()).isZero();
        }
    }

    /** The limit over UD is of real time, and the server does not sleep meanwhile. */
    static Stream<Object[]> whoSaysHelloAndNoMoreIsNotWaitedForForLong() {
        return Whole.rows(2, "RC", "UD");
    }

    @ParameterizedTest
    @MethodSource
    @DisplayName("who says hello and no more is not waited for for long")
    void whoSaysHelloAndNoMoreIsNotWaitedForForLong(QueuePairType type) throws Exception {
        AtomicLong skipped = new AtomicLong();
        try (Run.Background server = Run.later("perf", "-p", "0", "--bind_source_ip", "127.0.0.1", "-e", "send_bw")
                        .clock(() -> System.nanoTime() + skipped.get())
                        .start();
                Socket silent = asking(server, hello(type, 64, 2).toOctets())) {
            assertThat(new String(silent.getInputStream().readNBytes(16), US_ASCII))
                    .isEqualTo("MPA ID Rep Frame");
            await().until(() -> {
                skipped.addAndGet(Duration.ofMinutes(1).toNanos());
                return server.run().err().contains("refused a client: ");
            });
            assertThat(served(server).err()).contains("refused a client: ");
        }
    }

    @Test
    @DisplayName("garbage behind a hello ends that connection only")
    void garbageBehindHelloEndsThatConnectionOnly() throws Exception {
        try (Run.Background server = server("send_bw");
                Socket stranger = asking(server, hello(QueuePairType.UD, 64, 1).toOctets())) {
            stranger.getInputStream().readNBytes(START_FRAME);
            stranger.getOutputStream().write("\0\u00ffgarbage".repeat(100).getBytes(ISO_8859_1));
            assertThat(served(server).err()).contains("refused a client: ").doesNotContain("a bug of jwarp");
        }
    }
}
