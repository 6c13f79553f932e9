package dev.jwarp.tools.proxy;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("jwarp proxy, of datagrams")
class DatagramProxyTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    /** Of the proxies whose sessions are counted: none is over as long as the test does not say so. */
    private final AtomicLong now = new AtomicLong();

    private Run.Background proxy(String... words) {
        return Run.later(words).clock(now::get).start();
    }

    /** A program of UDP that sends back what comes. */
    private static final class Echo implements AutoCloseable {
        final DatagramSocket socket = new DatagramSocket(new InetSocketAddress(HERE, 0));

        Echo() throws IOException {
            OwnThread.EACH.execute(this::serve);
        }

        private void serve() {
            try {
                DatagramPacket packet = new DatagramPacket(new byte[1 << 16], 1 << 16);
                while (true) {
                    packet.setLength(1 << 16);
                    socket.receive(packet);
                    socket.send(packet);
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
    @DisplayName("brings two programs of UDP together over RDMA, several at a time, whatever their lengths")
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
                return proxy.run().err().contains("could not go to " + echo.at() + ": it has no bytes");
            });
        }
    }

    @Test
    @DisplayName("has no more sessions than it is told, says so, and takes another source when one is over")
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
                            + " has no session: there are 1 others, as many as --max-sessions says"));
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
    @DisplayName("has a session for another host where one host has all of them, from many ports")
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
                            + " ended for one of 127.0.0.2: there were as many as --max-sessions says");
            echoed(more, port, data(9, 20));
            for (int i = 2; i < most; i++) {
                echoed(greedy.get(i), port, data(i, 10));
            }
            echoed(other, port, data(9, 20));
        } finally {
            greedy.forEach(DatagramSocket::close);
        }
    }

    @Test
    @DisplayName("says that no program has the port, and goes on")
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
                return proxy.run().err().contains("127.54.32.10:" + gone.getPort() + ": no program has that port");
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
    @DisplayName("says which address is in use")
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
                "-l tcp://127.0.0.1:0 -t udp://127.0.0.1:1 | TCP carries streams, and UDP datagrams",
                "-l tcp://127.0.0.1:0 -t rdma://127.0.0.1:1 -T 3 | -T has no meaning for streams",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --markers | --markers and --peer-to-peer have no meaning for datagrams",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 -T 0 | -T is a number of seconds above 0",
                "-l udp://127.0.0.1:0 -t rdma://127.0.0.1:1 --max-sessions 0 | --max-sessions is 1 or more, not 0",
                "-l sctp://127.0.0.1:0 -t rdma://127.0.0.1:1 | does not say what it is",
            })
    @DisplayName("refuses what means nothing, in a sentence")
    void refused(String flags, String sentence) {
        List<String> words = new ArrayList<>(List.of("proxy"));
        words.addAll(List.of(flags.split(" ", -1)));
        Run run = Run.of(words.toArray(new String[0]));
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains(sentence);
    }
}
