package dev.jwarp.tools.ping;

import static dev.jwarp.tools.Listeners.port;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.PingClient.PingVoice;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("rping -s -P, a server for many")
class PersistentServerTest {
    private static final HexFormat HEX = HexFormat.of();
    /** An MPA Request of revision 1 that asks for CRCs. */
    private static final String REQUEST = HEX.formatHex("MPA ID Req Frame".getBytes(US_ASCII)) + "40010000";

    private static final int START_FRAME = 20;
    private static final PingSettings PATIENT =
            new PingSettings(0, 64, Duration.ZERO, Link.FOREVER, Link.FOREVER, false, false, true);

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("it survives every malformed vector and then serves a good client")
    void itSurvivesEveryMalformedVector(String progress) throws Exception {
        List<JsonNode> vectors = malformed();
        assertThat(vectors).hasSize(77);
        try (Run.Background server =
                Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "-V", "--progress", progress)) {
            int port = Integer.parseInt(port(server));
            for (JsonNode vector : vectors) {
                byte[] octets = HEX.parseHex(vector.path("hex").asText());
                if (vector.path("kind").asText().equals("malformed-mpa")) {
                    say(port, octets);
                } else {
                    sayAfterSetUp(port, vector, octets);
                }
            }
            Run good = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + port, "-C", "10", "-V");

            assertThat(good.status())
                    .as(good + "\nserver: " + server.run().err())
                    .isZero();
            assertThat(good.out()).contains("10 rounds, 10 validated, 0 failed");
            server.interrupt();
            assertThat(server.await().status()).as(server.run().err()).isEqualTo(130);
            assertThat(server.run().err()).doesNotContain("Exception").doesNotContain("a bug of jwarp");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"inline", "threaded"})
    @DisplayName("it serves on while others send garbage half frames or nothing")
    void itServesOnWhileOthers(String progress) throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        try (Run.Background server =
                Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "--progress", progress)) {
            int port = Integer.parseInt(port(server));
            List<Socket> rude = new ArrayList<>();
            try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket half = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket promise = connected(port)) {
                half.getOutputStream().write(HEX.parseHex(REQUEST), 0, 7);
                // Announces 64 KiB and sends one octet of it.
                promise.getOutputStream().write(HEX.parseHex("ffff41"));
                for (int i = 0; i < 20; i++) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    byte[] garbage = new byte[random.nextInt(1, 5_000)];
                    for (int k = 0; k < garbage.length; k++) {
                        garbage[k] = (byte) random.nextInt();
                    }
                    try {
                        socket.getOutputStream().write(garbage);
                    } catch (IOException e) {
                        // The server may have had enough of it already.
                    }
                    rude.add(socket);
                }
                Run good = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + port, "-C", "100", "-V");

                assertThat(good.status()).as(good.toString()).isZero();
                assertThat(silent.isConnected()).isTrue();
            } finally {
                for (Socket socket : rude) {
                    socket.close();
                }
            }
        }
    }

    @Test
    @DisplayName("it serves many at a time")
    void itServesManyAtTime() throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-P", "-a", "127.0.0.1", "-p", "0", "--json")) {
            String port = port(server);
            List<Run.Background> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(
                        Run.inBackground("rping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "50", "-V", "-S", "1000"));
            }
            for (Run.Background client : clients) {
                assertThat(client.await().status()).as(client.run().toString()).isZero();
            }
            server.interrupt();

            JsonNode document = new ObjectMapper().readTree(server.await().out());
            assertThat(document.path("status").asText()).isEqualTo("interrupted");
            assertThat(document.path("result").path("totals").path("served").asInt())
                    .isEqualTo(8);
            assertThat(document.path("result").path("totals").path("rounds").asInt())
                    .isEqualTo(400);
        }
    }

    @Test
    @DisplayName("a client too many is turned away with a reason")
    void clientTooManyIsTurnedAwayWithReason() throws Exception {
        Console console = Run.later("rping").console();
        PersistentServer clients = new PersistentServer(PATIENT, new Quiet(console), 0);
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Run.Background client = Run.inBackground(client(listening, "-C", "1"))) {
            clients.serve(listening.next(Patience.LIMIT));

            assertThat(client.await().status()).as(client.run().toString()).isEqualTo(3);
            assertThat(client.run().err()).contains("rejected").contains("too many clients");
            assertThat(clients.totals().refused()).isEqualTo(1);
        }
    }

    /** The next clients, as many, are served by a thread of its own. */
    private static CompletableFuture<Void> serving(PersistentServer clients, Listening listening, int count) {
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < count; i++) {
                        clients.serve(Objects.requireNonNull(listening.next(Patience.LIMIT)));
                    }
                },
                OwnThread.EACH);
    }

    @Test
    @DisplayName("where all places are taken the client that was silent for longest makes room")
    void whereAllPlacesAreTaken() throws Exception {
        Run voice = Run.later("rping");
        AtomicLong clock = new AtomicLong();
        Console console = withClock(voice.console(), clock::get);
        PersistentServer clients = new PersistentServer(PATIENT, new Quiet(console), 3);
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = listening.address().getPort();
            CompletableFuture<Void> serving = serving(clients, listening, 5);
            try (Run.Background kept = Run.inBackground(client(listening, "-i", "0.02", "-v"))) {
                await().until(() -> kept.run().out().contains("rdma-ping-3: "));
                try (Socket first = connected(port);
                        Socket second = later(clock, port)) {
                    // These have been silent from now on, and the other one speaks.
                    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
                    int said = kept.run().out().length();
                    await().until(() -> kept.run().out().length() > said + 1_000);
                    for (int i = 0; i < 2; i++) {
                        Run good = Run.of(client(listening, "-C", "5", "-V"));
                        assertThat(good.status()).as(good.toString()).isZero();
                    }
                    serving.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
                    assertThat(hasEnded(first)).isTrue();
                    assertThat(second.isConnected()).isTrue();
                }
                assertThat(kept.ended()).as(kept.run().toString()).isFalse();
            }
            await().untilAsserted(() -> assertThat(clients.totals().displaced()).isPositive());
            assertThat(clients.totals().refused()).isZero();
            assertThat(voice.err()).contains("a silent client was displaced by another one: 127.0.0.1");
        }
    }

    private static Socket later(AtomicLong clock, int port) throws IOException {
        clock.incrementAndGet();
        return connected(port);
    }

    @Test
    @DisplayName("the clients of one host leave places to others")
    void clientsOfOneHostLeavePlacesToOthers() throws Exception {
        Console real = Run.later("rping").console();
        PersistentServer clients = new PersistentServer(PATIENT, new Quiet(withClock(real, () -> 0)), 4);
        InetAddress busy = InetAddress.getByName("127.0.0.2");
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening =
                        Listening.quietly(context, real, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = listening.address().getPort();
            CompletableFuture<Void> serving = serving(clients, listening, 5);
            try (Socket first = connected(port, busy);
                    Socket second = connected(port, busy);
                    Socket third = connected(port, busy);
                    Socket turnedAway = connected(port, busy)) {
                await().until(() -> clients.totals().refused() == 1);
                assertThat(turnedAway.isConnected()).isTrue();
                Run good = Run.of(client(listening, "-C", "5", "-V"));
                assertThat(good.status()).as(good.toString()).isZero();
                serving.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(List.of(first, second, third)).allMatch(Socket::isConnected);
            }
        }
    }

    private static Console withClock(Console console, LongSupplier clock) {
        return new Console(
                console.out(),
                console.err(),
                clock,
                console.environment(),
                console.properties(),
                console.interruption(),
                console.ansi());
    }

    @Test
    @DisplayName("a peer that spoke a moment ago makes no room")
    void peerThatSpokeMomentAgoMakesNoRoom() throws Exception {
        Console real = Run.later("rping").console();
        AtomicLong clock = new AtomicLong();
        Console console = withClock(real, clock::get);
        PersistentServer clients = new PersistentServer(PATIENT, new Quiet(console), 1);
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening =
                        Listening.quietly(context, real, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            CompletableFuture<Void> serving = serving(clients, listening, 3);
            try (Socket first = connected(listening.address().getPort())) {
                Run early = Run.of(client(listening, "-C", "1"));
                assertThat(early.status()).as(early.toString()).isEqualTo(3);
                assertThat(early.err()).contains("too many clients");
                assertThat(clients.totals().refused()).isEqualTo(1);

                clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
                Run good = Run.of(client(listening, "-C", "5", "-V"));
                assertThat(good.status()).as(good.toString()).isZero();
                serving.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(hasEnded(first)).isTrue();
            }
        }
    }

    @Test
    @DisplayName("a client too many that has left already does no harm")
    void clientTooManyThatHasLeftAlreadyDoesNoHarm() throws Exception {
        Console console = Run.later("rping").console();
        PersistentServer clients = new PersistentServer(PATIENT, new Quiet(console), 0);
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            CmId request;
            try (Socket hasty = new Socket(
                    InetAddress.getLoopbackAddress(), listening.address().getPort())) {
                hasty.getOutputStream().write(HEX.parseHex(REQUEST));
                request = listening.next(Patience.LIMIT);
            }
            await().until(() -> context.counters().stream()
                    .anyMatch(counter -> counter.name().equals("requests_failed") && counter.value() == 1));

            clients.serve(request);
            assertThat(clients.totals().refused()).isEqualTo(1);
        }
    }

    private static boolean hasEnded(Socket socket) {
        try {
            socket.setSoTimeout((int) Patience.LIMIT.toMillis());
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // A reset is an end too.
        }
    }

    private static String[] client(Listening listening, String... more) {
        List<String> all = new ArrayList<>(List.of("rping", "-c", "-a", "127.0.0.1", "-p"));
        all.add("" + listening.address().getPort());
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private record Quiet(Console console) implements PingVoice {
        @Override
        public void data(String line) {}

        @Override
        public void trace(String step) {}
    }

    private static List<JsonNode> malformed() {
        return Vectors.all().stream()
                .filter(Vector::malformed)
                .map(Vector::json)
                .toList();
    }

    private static void sayAfterSetUp(int port, JsonNode vector, byte[] octets) throws IOException {
        try (Socket socket = connected(port)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (JsonNode before : vector.path("setup_fpdus")) {
                all.writeBytes(HEX.parseHex(before.asText()));
            }
            all.writeBytes(octets);
            finish(socket, all.toByteArray());
        }
    }

    private static Socket connected(int port) throws IOException {
        return connected(port, InetAddress.getLoopbackAddress());
    }

    private static Socket connected(int port, InetAddress from) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, from, 0);
        socket.getOutputStream().write(HEX.parseHex(REQUEST));
        byte[] reply = socket.getInputStream().readNBytes(START_FRAME);
        assertThat(new String(reply, 0, 16, US_ASCII)).isEqualTo("MPA ID Rep Frame");
        return socket;
    }

    private static void say(int port, byte[] octets) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            finish(socket, octets);
        }
    }

    /** Says it, then no more, and waits until the server has hung up. */
    private static void finish(Socket socket, byte[] octets) throws IOException {
        socket.setSoTimeout((int) Patience.LIMIT.toMillis());
        try {
            socket.getOutputStream().write(octets);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // A reset is an end too.
        }
    }
}
