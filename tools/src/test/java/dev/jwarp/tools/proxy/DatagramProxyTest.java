package dev.jwarp.tools.proxy;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.base.Networks;
import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("jwarp proxy, of datagrams")
@SuppressWarnings("AddressSelection") // numbers, not names
class DatagramProxyTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    /** Of the proxies whose sessions are counted: none is over as long as the test does not say so. */
    private final AtomicLong now = new AtomicLong();

    private Run.Background proxy(String... words) {
        return Run.later(words).clock(now::get).start();
    }

    /** A program of UDP that sends back what comes, or so many zeros. */
    private static final class Echo implements AutoCloseable {
        final DatagramSocket socket = new DatagramSocket(new InetSocketAddress(HERE, 0));
        private final int zeros;

        Echo() throws IOException {
            this(0);
        }

        Echo(int zeros) throws IOException {
            this.zeros = zeros;
            OwnThread.EACH.execute(this::serve);
        }

        private void serve() {
            try {
                DatagramPacket packet = new DatagramPacket(new byte[1 << 16], 1 << 16);
                while (true) {
                    socket.receive(packet);
                    if (zeros > 0) {
                        packet.setData(new byte[zeros]);
                    }
                    socket.send(packet);
                    packet.setData(new byte[1 << 16]);
                }
            } catch (IOException e) {
                assertThat(socket.isClosed()).isTrue();
            }
        }

        String at() {
            return "udp://127.0.0.1:" + socket.getLocalPort();
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    private static DatagramSocket client() throws IOException {
        return client(HERE);
    }

    private static DatagramSocket client(InetAddress at) throws IOException {
        DatagramSocket client = new DatagramSocket(new InetSocketAddress(at, 0));
        client.setSoTimeout(200);
        return client;
    }

    private static void send(DatagramSocket from, String port, byte[] bytes) throws IOException {
        from.send(new DatagramPacket(bytes, bytes.length, HERE, Integer.parseInt(port)));
    }

    /** {@return what comes next} */
    private static byte[] next(DatagramSocket at) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[1 << 16], 1 << 16);
        at.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    /** Has bytes sent until they come back: any datagram may be lost. */
    private static void echoed(DatagramSocket client, String port, byte[] bytes) {
        await().pollDelay(Duration.ZERO).until(() -> {
            send(client, port, bytes);
            try {
                byte[] came = next(client);
                while (came.length != bytes.length) { // a late one of before
                    came = next(client);
                }
                assertThat(came).isEqualTo(bytes);
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            }
        });
    }

    private static byte[] data(int seed, int length) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return data;
    }

    @Test
    @DisplayName("connects several pairs of UDP programs over RDMA, with datagrams of all lengths")
    void bothWays() throws Exception {
        try (Echo echo = new Echo();
                Run.Background far = proxy("proxy", "-l", "rdma://127.0.0.1:0", "-t", echo.at(), "-n", "4", "-T", "5");
                Run.Background near = proxy(
                        "proxy",
                        "-l",
                        "udp://127.0.0.1:0",
                        "-t",
                        "rdma://127.0.0.1:" + port(far),
                        "-n",
                        "4",
                        "-T",
                        "5",
                        "--json")) {
            String port = port(near);
            List<DatagramSocket> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(client());
            }
            int[] lengths = {1, 1_400, 9_000, 65_507};
            for (int length : lengths) {
                for (int i = 0; i < 4; i++) {
                    echoed(clients.get(i), port, data(i, length));
                }
            }
            now.addAndGet(TimeUnit.SECONDS.toNanos(5));
            assertThat(far.await().status()).as(far.run().toString()).isZero();
            assertThat(far.run().out()).contains("proxy: 4 sessions, ");
            assertThat(near.await().status()).as(near.run().toString()).isZero();
            assertThat(near.run().out())
                    .contains("\"jwarp.proxy/1\"")
                    .containsPattern("\"sessions\"\\s*:\\s*4")
                    .containsPattern("\"datagrams_there\"\\s*:\\s*(1[6-9]|[2-9][0-9])")
                    .containsPattern("\"bytes_back\"\\s*:\\s*[3-9][0-9]{5}");
            clients.forEach(DatagramSocket::close);
        }
    }

    @Test
    @DisplayName("carries datagrams of a program with jwarp's sockets, which are RDMA, to UDP")
    void ofSockets() throws Exception {
        try (Echo echo = new Echo();
                Run.Background proxy = Run.inBackground("proxy", "-l", "rdma://127.0.0.1:0", "-t", echo.at());
                DatagramChannel channel = JwarpSockets.openDatagramChannel()) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
            channel.connect(new InetSocketAddress(HERE, Integer.parseInt(port(proxy))));
            channel.configureBlocking(false);
            ByteBuffer into = ByteBuffer.allocate(100);
            await().until(() -> {
                channel.write(StandardCharsets.US_ASCII.encode("over RDMA"));
                return channel.read(into.clear()) > 0;
            });
            assertThat(StandardCharsets.US_ASCII.decode(into.flip()).toString()).isEqualTo("over RDMA");
            await().until(() -> {
                channel.write(ByteBuffer.allocate(0));
                return proxy.run().err().contains("could not be sent to " + echo.at() + ": it is empty");
            });
        }
    }

    @Test
    @DisplayName("limits its sessions with a note, and serves another source when a session is over")
    void bounded() throws Exception {
        try (Echo echo = new Echo();
                Run.Background proxy = proxy(
                        "proxy",
                        "-l",
                        "udp://127.0.0.1:0",
                        "-t",
                        echo.at(),
                        "--max-sessions",
                        "1",
                        "-T",
                        "2",
                        "-n",
                        "2");
                DatagramSocket first = client();
                DatagramSocket second = client()) {
            String port = port(proxy);
            echoed(first, port, data(1, 10));
            send(second, port, data(2, 20));
            await().until(() -> proxy.run()
                    .err()
                    .contains("127.0.0.1:" + second.getLocalPort()
                            + " gets no session: the limit of 1 (--max-sessions) is reached"));
            echoed(first, port, data(1, 30));
            now.addAndGet(TimeUnit.SECONDS.toNanos(2));
            echoed(second, port, data(2, 20)); // once the first has been silent
            now.addAndGet(TimeUnit.SECONDS.toNanos(2));
            assertThat(proxy.await().status()).as(proxy.run().toString()).isZero();
            assertThat(proxy.run().out()).contains("proxy: 2 sessions, ");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("has a session for another host if one host has all sessions, from many ports")
    void oneHostTakesAll() throws Exception {
        int most = 4;
        List<DatagramSocket> greedy = new ArrayList<>();
        try (Echo echo = new Echo();
                Run.Background proxy = Run.inBackground(
                        "proxy", "-l", "udp://127.0.0.1:0", "-t", echo.at(), "--max-sessions", String.valueOf(most));
                DatagramSocket other = client(InetAddress.getByName("127.0.0.2"));
                DatagramSocket more = client(InetAddress.getByName("127.0.0.2"))) {
            String port = port(proxy);
            for (int i = 0; i < most; i++) {
                DatagramSocket one = client();
                greedy.add(one);
                echoed(one, port, data(i, 10));
            }
            echoed(other, port, data(9, 20));
            assertThat(proxy.run().err())
                    .contains("the session of 127.0.0.1:" + greedy.get(0).getLocalPort()
                            + " ended for a session of 127.0.0.2: the limit of --max-sessions was reached");
            echoed(more, port, data(9, 20));
            for (int i = 2; i < most; i++) {
                echoed(greedy.get(i), port, data(i, 10));
            }
            echoed(other, port, data(9, 20));
        } finally {
            greedy.forEach(DatagramSocket::close);
        }
    }

    /** {@return whether all that this one sends is answered at last} */
    private static boolean answered(DatagramSocket client, String port, int length) throws IOException {
        send(client, port, data(1, length));
        try {
            next(client);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    @DisplayName(
            "sends a source at most three times the bytes that came from it, with a note, because a source can be forged")
    void reflection() throws Exception {
        int asked = 100;
        int answer = 1_000;
        try (Echo server = new Echo(answer);
                Run.Background proxy = proxy("proxy", "-l", "udp://127.0.0.1:0", "-t", server.at(), "--json");
                DatagramSocket client = client()) {
            String port = port(proxy);
            await().until(() -> {
                send(client, port, data(1, asked));
                return proxy.run()
                        .err()
                        .contains("an answer of 1000 bytes was not sent to 127.0.0.1:" + client.getLocalPort());
            });
            await().until(() -> answered(client, port, asked));
            proxy.interrupt();
            JsonNode totals = new ObjectMapper().readTree(proxy.await().out()).path("result");
            assertThat(totals.path("bytes_back").asLong())
                    .isGreaterThanOrEqualTo(answer)
                    .isLessThanOrEqualTo(3 * totals.path("bytes_there").asLong());
            assertThat(totals.path("datagrams_withheld").asLong()).isPositive();
            assertThat(proxy.run().err()).contains("--set jwarp.udp.trust=127.0.0.1");
        }
    }

    @Test
    @DisplayName("sends all answers to a trusted source")
    void trusted() throws Exception {
        try (Echo server = new Echo(60_000);
                Run.Background proxy = proxy(
                        "proxy",
                        "-l",
                        "udp://127.0.0.1:0",
                        "-t",
                        server.at(),
                        "--set",
                        "jwarp.udp.trust=127.0.0.0/8",
                        "--json");
                DatagramSocket client = client()) {
            String port = port(proxy);
            await().until(() -> answered(client, port, 1));
            proxy.interrupt();
            assertThat(proxy.await().out()).containsPattern("\"datagrams_withheld\"\\s*:\\s*0");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("serves only the hosts of --allow, with a note about others")
    void allow() throws Exception {
        try (Echo echo = new Echo();
                Run.Background proxy = proxy(
                        "proxy",
                        "-l",
                        "udp://127.0.0.1:0",
                        "-t",
                        echo.at(),
                        "--allow",
                        "10.0.0.0/8,127.0.0.2",
                        "--allow",
                        "127.1.0.0/16",
                        "--json");
                DatagramSocket stranger = client();
                DatagramSocket first = client(InetAddress.getByName("127.0.0.2"));
                DatagramSocket second = client(InetAddress.getByName("127.1.2.3"))) {
            String port = port(proxy);
            await().until(() -> {
                send(stranger, port, data(1, 10));
                return proxy.run()
                        .err()
                        .contains("127.0.0.1:" + stranger.getLocalPort()
                                + " is not served: --allow does not name its host");
            });
            echoed(first, port, data(1, 10));
            echoed(second, port, data(1, 10));
            proxy.interrupt();
            assertThat(proxy.await().out())
                    .containsPattern("\"sessions\"\\s*:\\s*2")
                    .containsPattern("\"datagrams_not_allowed\"\\s*:\\s*[1-9]");
        }
    }

    /** {@return a port that no program has, where no other test has ports} */
    private static String freePort() throws IOException {
        try (DatagramSocket closed =
                new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.54.32.11"), 0))) {
            return "127.54.32.11:" + closed.getLocalPort();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("ends the loop of a datagram between two proxies, with a note")
    void twoInALoop() throws Exception {
        String second = freePort();
        try (Run.Background one = proxy("proxy", "-l", "udp://127.0.0.1:0", "-t", "udp://" + second, "--json");
                Run.Background other =
                        proxy("proxy", "-l", "udp://" + second, "-t", "udp://127.0.0.1:" + port(one), "--json");
                DatagramSocket client = client()) {
            String port = port(one);
            assertThat(port(other)).isNotEmpty();
            int sent = 0;
            for (int i = 0; i < 5; i++) { // the first one opens the ports that all go through
                int length = 10 + i;
                send(client, port, data(i, length));
                sent++;
            }
            await().until(() -> (one.run().err() + other.run().err()).contains("is in a loop"));
            send(client, port, data(9, 10)); // and none of those that come later goes on
            sent++;
            one.interrupt();
            JsonNode totals = new ObjectMapper().readTree(one.await().out()).path("result");
            assertThat(totals.path("sessions").asInt()).isLessThanOrEqualTo(Laps.MOST_LAPS + 2);
            assertThat(totals.path("datagrams_there").asInt()).isLessThanOrEqualTo(sent * (Laps.MOST_LAPS + 2));
        }
    }

    @Test
    @DisplayName("refuses datagrams from its target, which is no client")
    void fromTarget() throws Exception {
        try (DatagramSocket target = client();
                Run.Background proxy = proxy(
                        "proxy",
                        "-l",
                        "udp://127.0.0.1:0",
                        "-t",
                        "udp://127.0.0.1:" + target.getLocalPort(),
                        "--json")) {
            String port = port(proxy);
            await().until(() -> {
                send(target, port, data(1, 10));
                return proxy.run()
                        .err()
                        .contains("a datagram of 127.0.0.1:" + target.getLocalPort()
                                + " is not forwarded: that is the address of udp://127.0.0.1:" + target.getLocalPort());
            });
            proxy.interrupt();
            assertThat(proxy.await().out()).containsPattern("\"sessions\"\\s*:\\s*0");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("refuses datagrams from its own ports, which are forged")
    void ownPorts() throws Exception {
        Side at = Side.parse("-l", "udp://" + freePort(), true);
        List<String> notes = new CopyOnWriteArrayList<>();
        try (JwarpSelectorProvider sockets = new JwarpSelectorProvider(Map.of());
                DatagramGateway gateway = new DatagramGateway(
                        sockets,
                        at,
                        at, // as where an address moves to this host later
                        new DatagramGateway.Limits(
                                100, Duration.ofMinutes(1), Networks.ALL, Objects.requireNonNull(Networks.parse(""))),
                        now::get,
                        notes::add);
                DatagramSocket client = client()) {
            client.send(new DatagramPacket(new byte[10], 10, gateway.address()));
            gateway.run(0, () -> !notes.isEmpty());
            assertThat(notes).singleElement().asString().contains("or a port of this proxy, not a client");
            assertThat(gateway.totals().sessions).isEqualTo(1);
            assertThat(gateway.totals().datagramsInALoop).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("reports a port without a program, and goes on")
    void noServer() throws Exception {
        InetSocketAddress gone;
        InetAddress elsewhere = InetAddress.getByName("127.54.32.10"); // where no other test has ports
        try (DatagramSocket closed = new DatagramSocket(new InetSocketAddress(elsewhere, 0))) {
            gone = (InetSocketAddress) closed.getLocalSocketAddress();
        }
        try (Run.Background proxy = Run.inBackground(
                        "proxy", "-l", "udp://127.0.0.1:0", "-t", "udp://127.54.32.10:" + gone.getPort());
                DatagramSocket client = client()) {
            String port = port(proxy);
            await().until(() -> {
                send(client, port, data(1, 10));
                return proxy.run().err().contains("127.54.32.10:" + gone.getPort() + ": no program listens there");
            });
            try (DatagramSocket late = new DatagramSocket(gone)) {
                late.setSoTimeout(200);
                await().until(() -> {
                    send(client, port, data(1, 10));
                    try {
                        return next(late).length == 10;
                    } catch (SocketTimeoutException e) {
                        return false;
                    }
                });
            }
        }
    }

    @Test
    @DisplayName("reports the address that is in use")
    void inUse() throws IOException {
        try (DatagramSocket taken = new DatagramSocket(new InetSocketAddress(HERE, 0))) {
            for (String kind : List.of("udp", "rdma")) {
                String at = kind + "://127.0.0.1:" + taken.getLocalPort();
                Run run = Run.of("proxy", "-l", at, "-t", "udp://127.0.0.1:1");
                assertThat(run.status()).as(run.toString()).isEqualTo(3);
                assertThat(run.err()).contains("error: cannot listen on " + at);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-l tcp://127.0.0.1:0 -t udp://127.0.0.1:1 | TCP has streams, and UDP has datagrams",
                "-l tcp://127.0.0.1:0 -t rdma://127.0.0.1:1 -T 3 | -T has no meaning for streams",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --markers | --markers and --peer-to-peer have no meaning for datagrams",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 -T 0 | -T takes seconds above 0",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --max-sessions 0 | --max-sessions takes 1 or more, not 0",
                "-l sctp://127.0.0.1:0 -t rdma://127.0.0.1:1 | has no protocol",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --allow localhost | --allow 'localhost' is not a network",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --allow 10.0.0.0/8,10.0.0.0/33 | --allow '10.0.0.0/33' is not a network",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --allow= | --allow '' is not a network",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --allow , | --allow names no network",
                "-l udp://127.0.0.1:PORT -t udp://127.0.0.1:PORT | udp://127.0.0.1:PORT is the address on which this proxy listens",
                "-l udp://PORT -t udp://[::1]:PORT | is the address on which this proxy listens",
                "-l rdma://0.0.0.0:PORT -t udp://127.0.0.1:PORT | is the address on which this proxy listens",
                "-l udp://127.0.0.1:PORT -t rdma://0.0.0.0:PORT | is the address on which this proxy listens",
                "-l tcp://127.0.0.1:PORT -t rdma://127.0.0.1:PORT | is the address on which this proxy listens",
                "-l rdma://PORT -t tcp://127.0.0.1:PORT | is the address on which this proxy listens",
            })
    @DisplayName("refuses flags without a meaning, with a sentence")
    void refused(String flags, String sentence) throws IOException {
        String port;
        try (ServerSocket once = new ServerSocket(0, 1, HERE)) { // nothing listens there: all are refused before
            port = String.valueOf(once.getLocalPort());
        }
        List<String> words = new ArrayList<>(List.of("proxy"));
        words.addAll(List.of(flags.replace("PORT", port).split(" ", -1)));
        Run run = Run.of(words.toArray(new String[0]));
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(sentence.replace("PORT", port));
    }
}
