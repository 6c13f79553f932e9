package dev.jwarp.tools.proxy;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Networks;
import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisplayName("jwarp proxy")
class ProxyTest {
    private static final int BYTES = 3_000_000;
    private static final int MILLIS = (int) Patience.LIMIT.toMillis();

    /** A program of TCP that sends back what comes. */
    private static final class Echo implements AutoCloseable {
        final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        Echo() throws IOException {
            new Thread(this::serve, "echo").start();
        }

        private void serve() {
            try {
                while (true) {
                    Socket client = listener.accept();
                    new Thread(() -> answer(client), "echo of one").start();
                }
            } catch (IOException e) {
                assertThat(listener.isClosed()).isTrue();
            }
        }

        private static void answer(Socket client) {
            try (client) {
                client.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException e) {
                assertThat(e).isNotNull(); // the client has gone
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static byte[] echoed(String port, int seed)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        byte[] data = data(seed);
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
            client.setSoTimeout(MILLIS);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(
                    () -> {
                        try {
                            client.getOutputStream().write(data);
                            client.shutdownOutput();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    OwnThread.EACH);
            byte[] came = client.getInputStream().readAllBytes();
            writer.get(MILLIS, TimeUnit.MILLISECONDS);
            return came;
        }
    }

    private static byte[] data(int seed) {
        byte[] data = new byte[BYTES];
        new Random(seed).nextBytes(data);
        return data;
    }

    @Test
    @DisplayName("connects several pairs of TCP programs over RDMA, each until its end")
    void bothWays() throws Exception {
        int clients = 4;
        try (Echo echo = new Echo();
                Run.Background far = Run.inBackground(
                        "proxy",
                        "-l",
                        "rdma://127.0.0.1:0",
                        "-t",
                        "tcp://127.0.0.1:" + echo.listener.getLocalPort(),
                        "-n",
                        "4");
                Run.Background near = Run.inBackground(
                        "proxy",
                        "-l",
                        "tcp://127.0.0.1:0",
                        "-t",
                        "rdma://127.0.0.1:" + port(far),
                        "-n",
                        "4",
                        "--json")) {
            String port = port(near);
            List<CompletableFuture<byte[]>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int seed = i;
                all.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return echoed(port, seed);
                            } catch (IOException | InterruptedException | ExecutionException | TimeoutException e) {
                                throw new AssertionError(e);
                            }
                        },
                        OwnThread.EACH));
            }
            for (int i = 0; i < clients; i++) {
                assertThat(all.get(i).get(MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(data(i));
            }
            assertThat(far.await().status()).as(far.run().toString()).isZero();
            assertThat(far.run().out())
                    .isEqualToNormalizingNewlines(
                            "proxy: 4 connections, 0 failed, 12000000 bytes there, 12000000 bytes back\n");
            assertThat(near.await().status()).as(near.run().toString()).isZero();
            assertThat(near.run().out())
                    .contains("\"jwarp.proxy/1\"")
                    .containsPattern("\"connections\"\\s*:\\s*4")
                    .containsPattern("\"bytes_there\"\\s*:\\s*12000000");
        }
    }

    @Test
    @DisplayName("ends a client without a server, with a note, and goes on")
    void noServer() throws Exception {
        HeldPort held = new HeldPort();
        int nobody = held.number();
        try (held;
                Run.Background proxy = Run.inBackground(
                        "proxy", "-l", "tcp://127.0.0.1:0", "-t", "rdma://127.0.0.1:" + nobody, "-n", "2")) {
            String port = port(proxy);
            for (int i = 0; i < 2; i++) {
                try (Socket client = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
                    client.setSoTimeout(MILLIS);
                    InputStream in = client.getInputStream();
                    assertThatThrownBy(in::read).as("a reset, and no end").isInstanceOf(IOException.class);
                }
            }
            assertThat(proxy.await().status()).as(proxy.run().toString()).isZero();
            assertThat(proxy.run().out()).contains("2 connections, 2 failed");
            assertThat(proxy.run().err()).contains("127.0.0.1:" + nobody);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("serves another host if one host has all connections, and refuses more of that one")
    void oneHostTakesAll() throws Exception {
        int most = 3;
        List<Socket> greedy = new ArrayList<>();
        try (Echo echo = new Echo();
                Run.Background proxy = Run.inBackground(
                        "proxy",
                        "-l",
                        "tcp://127.0.0.1:0",
                        "-t",
                        "tcp://127.0.0.1:" + echo.listener.getLocalPort(),
                        "--max-sessions",
                        String.valueOf(most))) {
            int port = Integer.parseInt(port(proxy));
            for (int i = 0; i < most; i++) {
                Socket one = from("127.0.0.1", port);
                greedy.add(one);
                echoedOne(one);
            }
            try (Socket own = from("127.0.0.1", port)) {
                assertThatThrownBy(() -> own.getInputStream().read()).isInstanceOf(IOException.class);
            }
            try (Socket other = from("127.0.0.2", port)) {
                echoedOne(other);
                InputStream first = greedy.get(0).getInputStream();
                assertThatThrownBy(first::read).as("the oldest").isInstanceOf(IOException.class);
                echoedOne(greedy.get(1));
                echoedOne(greedy.get(2));
            }
        } finally {
            for (Socket one : greedy) {
                one.close();
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // all of 127.0.0.0/8 is this host there
    @DisplayName("serves only the hosts of --allow: others are reset, with a note, and -n does not count them")
    void allow() throws Exception {
        try (Echo echo = new Echo();
                Run.Background proxy = Run.inBackground(
                        "proxy",
                        "-l",
                        "tcp://127.0.0.1:0",
                        "-t",
                        "tcp://127.0.0.1:" + echo.listener.getLocalPort(),
                        "--allow",
                        "10.0.0.0/8,127.0.0.2/31",
                        "-n",
                        "1",
                        "--json")) {
            int port = Integer.parseInt(port(proxy));
            try (Socket stranger = from("127.0.0.1", port)) {
                InputStream in = stranger.getInputStream();
                assertThatThrownBy(in::read).isInstanceOf(IOException.class);
                assertThat(proxy.run().err())
                        .contains("127.0.0.1:" + stranger.getLocalPort()
                                + " is not served: --allow does not name its host");
            }
            try (Socket guest = from("127.0.0.3", port)) {
                echoedOne(guest);
            }
            assertThat(proxy.await().status()).as(proxy.run().toString()).isZero();
            assertThat(proxy.run().out())
                    .containsPattern("\"connections\"\\s*:\\s*1")
                    .containsPattern("\"not_allowed\"\\s*:\\s*1");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX) // where a listener whose queue is full says nothing
    @DisplayName("resets a client if the other side does not answer in time")
    void noAnswer() throws IOException {
        List<String> notes = new CopyOnWriteArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket first = from("127.0.0.1", full.getLocalPort());
                Socket second = from("127.0.0.1", full.getLocalPort());
                JwarpSelectorProvider sockets = new JwarpSelectorProvider(Map.of());
                StreamGateway gateway = new StreamGateway(
                        sockets,
                        Side.parse("-l", "tcp://127.0.0.1:0", true),
                        Side.parse("-t", "tcp://127.0.0.1:" + full.getLocalPort(), false),
                        new StreamGateway.Limits(4, Duration.ofMillis(20), Networks.ALL),
                        notes::add);
                Socket client = from("127.0.0.1", gateway.address().getPort())) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            gateway.run(1, () -> false);
            assertThat(gateway.totals().failed).isEqualTo(1);
            assertThat(notes).singleElement().asString().contains("did not answer for");
            gateway.close(); // a channel that is closed ends when its selector looks again
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    private static Socket from(String address, int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(address), 0);
        socket.setSoTimeout(MILLIS);
        return socket;
    }

    private static void echoedOne(Socket socket) throws IOException {
        socket.getOutputStream().write(7);
        assertThat(socket.getInputStream().read()).isEqualTo(7);
    }

    @Test
    @DisplayName("reports the address that is in use")
    void inUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (String kind : List.of("tcp", "rdma")) {
                Run run =
                        Run.of("proxy", "-l", kind + "://127.0.0.1:" + taken.getLocalPort(), "-t", "tcp://127.0.0.1:1");
                assertThat(run.status()).as(run.toString()).isEqualTo(3);
                assertThat(run.err())
                        .contains("error: cannot listen on " + kind + "://127.0.0.1:" + taken.getLocalPort());
            }
        }
    }
}
