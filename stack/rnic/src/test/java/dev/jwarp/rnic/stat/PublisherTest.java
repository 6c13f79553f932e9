package dev.jwarp.rnic.stat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An observable process")
class PublisherTest {
    private static final long PID = ProcessHandle.current().pid();

    @TempDir
    private Path base;

    private Publisher publisher;
    private StatClient client;

    /** A fake context. */
    private static class Context implements RowSource {
        private final String link;
        private final long sends;
        private final int queuePairs;

        Context(String link, long sends, int queuePairs) {
            this.link = link;
            this.sends = sends;
            this.queuePairs = queuePairs;
        }

        @Override
        public String link() {
            return link;
        }

        @Override
        public Set<InetAddress> localAddresses() {
            return Set.of(InetAddress.getLoopbackAddress());
        }

        @Override
        public ObservedRow linkRow(Set<InetAddress> local) {
            assertThat(local).containsExactly(InetAddress.getLoopbackAddress());
            return ObservedRow.of("link").with("link", link).with("state", "ACTIVE");
        }

        @Override
        public Map<String, Long> counts() {
            return Map.of("qp", (long) queuePairs);
        }

        @Override
        public List<Counter> counters() {
            return List.of(new Counter("sends_posted", sends, "Sends."));
        }

        @Override
        public void limits(RowSource.Sink sink) {
            sink.row(ObservedRow.of("limit").with("link", link).with("limit", 7));
        }

        @Override
        public void objects(RowSource.Sink sink) {
            for (int i = 1; i <= queuePairs && sink.wants("qp"); i++) {
                sink.row(ObservedRow.of("qp").with("link", link).with("lqpn", i));
            }
        }
    }

    @BeforeEach
    void nobodyYet() {
        publisher = new Publisher(base);
        client = new StatClient(base, Patience.MILLIS);
    }

    private final RowSource first = new Context("jwarp0/1", 3, 2);
    private final RowSource second = new Context("jwarp0/1", 4, 1);
    private final RowSource datagrams = new Context("jwarp1/1", 5, 0);

    @AfterEach
    void nobodyAnyMore() {
        List.of(first, second, datagrams).forEach(publisher::remove);
    }

    private Path socket() {
        return Objects.requireNonNull(publisher.socket());
    }

    private static List<Long> values(Observation seen, String object, String field) {
        return seen.all(object).stream().map(row -> row.number(field)).toList();
    }

    @Test
    @DisplayName("shows the open contexts: each link once, with sums of counters")
    void shows() {
        publisher.add(first);
        publisher.add(second);
        publisher.add(datagrams);

        Observation seen = client.observe(PID);

        assertThat(seen.pid()).isEqualTo(PID);
        assertThat(seen.all("process"))
                .hasSize(1)
                .allSatisfy(row -> assertThat(row.number("pid")).isEqualTo(PID));
        assertThat(seen.all("link")).extracting(row -> row.text("link")).containsExactly("jwarp0/1", "jwarp1/1");
        assertThat(values(seen, "resource", "qp")).containsExactly(3L, 0L);
        assertThat(values(seen, "counter", "value")).containsExactly(7L, 5L);
        assertThat(seen.all("limit")).hasSize(3);
        assertThat(values(seen, "qp", "lqpn")).containsExactly(1L, 2L, 1L);
        assertThat(client.processes()).containsExactly(PID);
    }

    @Test
    @DisplayName("may have two class loaders with jwarp, whose rows are merged")
    void twoClassLoaders() {
        publisher.add(first);
        Publisher other = new Publisher(base);
        other.add(second);
        other.add(datagrams);
        try {
            Observation seen = client.observe(PID);

            assertThat(seen.all("process")).hasSize(1);
            assertThat(seen.all("link")).hasSize(2);
            assertThat(values(seen, "resource", "qp")).containsExactlyInAnyOrder(3L, 0L);
            assertThat(values(seen, "counter", "value")).containsExactlyInAnyOrder(7L, 5L);
            assertThat(values(seen, "qp", "lqpn")).hasSize(3);
        } finally {
            other.remove(second);
            other.remove(datagrams);
        }
    }

    @Test
    @DisplayName("is accessible only to its user")
    void permissions() throws IOException {
        publisher.add(first);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket().getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    @DisplayName("removes its socket with its last context, and has a new one with the next")
    void comesAndGoes() throws IOException {
        publisher.add(first);
        publisher.add(second);
        Path folder = socket().getParent();
        publisher.remove(first);
        assertThat(client.observe(PID).all("link")).hasSize(1);
        publisher.remove(second);
        assertThat(folder).isEmptyDirectory();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("jwarp-stat")));
        assertSays(RdmaErrorCode.NOT_FOUND, "has no jwarp device open");

        publisher.add(datagrams);
        assertThat(client.observe(PID).all("link")).hasSize(1);
    }

    @Test
    @DisplayName("works even if the folder cannot be used")
    void folderTaken() throws IOException {
        Files.createFile(new StatFolder(base, StatFolder.userOfThisProcess()).path());
        publisher.add(first);
        assertThat(publisher.socket()).isNull();
        assertThatThrownBy(() -> client.observe(PID))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.PERMISSION_DENIED))
                .hasMessageContaining("is not safe");
    }

    @Test
    @DisplayName("disconnects a reader that does not read, and then answers the next")
    void slowReader() throws Exception {
        RowSource large = new Context("jwarp0/1", 1, Outlet.MOST_OF_A_KIND);
        publisher.add(large);
        try (SocketChannel slow = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            slow.connect(UnixDomainSocketAddress.of(socket()));
            assertThat(slow.read(ByteBuffer.allocate(1))).isEqualTo(1);

            assertThat(values(client.observe(PID), "qp", "lqpn")).hasSize(Outlet.MOST_OF_A_KIND);

            assertThat(drain(slow)).as("the rest of its answer").doesNotContain("end\trows:");
        } finally {
            publisher.remove(large);
        }
    }

    private static String drain(SocketChannel channel) {
        ByteBuffer all = ByteBuffer.allocate(4 << 20);
        try {
            while (channel.read(all) >= 0) {
                assertThat(all.hasRemaining()).isTrue();
            }
        } catch (IOException e) {
            assertThat(e).as("it was cut off").isNotNull();
        }
        return UTF_8.decode(all.flip()).toString();
    }

    @Test
    @DisplayName("continues when a reader disconnects at once")
    void hastyReader() throws IOException {
        publisher.add(first);
        for (int i = 0; i < 50; i++) {
            try (SocketChannel hasty = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                hasty.connect(UnixDomainSocketAddress.of(socket()));
            }
        }
        assertThat(client.observe(PID).all("link")).hasSize(1);
    }

    @Test
    @DisplayName("limits the rows of a kind, and reports that there are more")
    void cut() {
        RowSource large = new Context("jwarp0/1", 1, Outlet.MOST_OF_A_KIND + 1);
        publisher.add(large);
        publisher.add(datagrams);
        try {
            Observation seen = client.observe(PID);

            assertThat(seen.all("qp")).hasSize(Outlet.MOST_OF_A_KIND);
            assertThat(values(seen, "resource", "qp")).containsExactly(Outlet.MOST_OF_A_KIND + 1L, 0L);
            assertThat(seen.all("cut"))
                    .containsExactly(ObservedRow.of("cut").with("object", "qp").with("shown", Outlet.MOST_OF_A_KIND));
            assertThat(seen.all("counter")).hasSize(2);
        } finally {
            publisher.remove(large);
        }
    }

    @Test
    @DisplayName("continues after a context could not be read")
    void brokenContext() {
        RowSource broken = new Context("jwarp0/1", 1, 1) {
            @Override
            public List<Counter> counters() {
                throw new IllegalStateException("on purpose");
            }
        };
        publisher.add(broken);
        assertSays(RdmaErrorCode.CLOSED_BY_PEER, "stopped before the end");
        publisher.add(first);
        publisher.remove(broken);
        assertThat(client.observe(PID).all("link")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class, IllegalStateException.class})
    @DisplayName("ends one answer, not the thread, when its context throws:")
    void anyThrowable(Class<? extends Throwable> kind) {
        AtomicBoolean works = new AtomicBoolean();
        RowSource ill = new Context("jwarp0/1", 1, 1) {
            @Override
            public List<Counter> counters() {
                if (!works.get()) {
                    throwAny(kind);
                }
                return super.counters();
            }
        };
        publisher.add(ill);
        try {
            for (int i = 0; i < 3; i++) {
                assertSays(RdmaErrorCode.CLOSED_BY_PEER, "stopped before the end");
            }
            works.set(true);
            assertThat(client.observe(PID).all("link")).hasSize(1);
        } finally {
            publisher.remove(ill);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Class<? extends Throwable> kind) throws T {
        try {
            throw (T) kind.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(kind.getName(), e);
        }
    }

    // ---- anomalies in the place of a process

    @Test
    @DisplayName("may not exist")
    void noSuchProcess() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.onExit().join();
        assertThatThrownBy(() -> client.observe(ended.pid())).hasMessage("There is no process " + ended.pid() + ".");
        assertThatThrownBy(() -> client.observe(0)).hasMessage("There is no process 0.");
        publisher.add(first);
        listen(ended.pid()).close();
        assertThatThrownBy(() -> client.observe(ended.pid()))
                .hasMessageContaining("There is no process " + ended.pid())
                .hasMessageContaining("removes its socket");
        assertThat(client.processes()).containsExactly(PID);
    }

    @Test
    @DisplayName("may have the pid of a killed process")
    void numberOfAnother() throws IOException {
        new StatFolder(base, StatFolder.userOfThisProcess()).prepare();
        listen(PID).close();
        assertSays(RdmaErrorCode.NOT_FOUND, "an earlier process with that pid left a socket");
    }

    @Test
    @DisplayName("may be of another version, or no jwarp process")
    void strangers() throws IOException {
        new StatFolder(base, StatFolder.userOfThisProcess()).prepare();
        assertAnswerSays("jwarp-stat 2\nwhatever\n", RdmaErrorCode.PROTOCOL_MISMATCH, "another version");
        assertAnswerSays("HTTP/1.1 200 OK\n", RdmaErrorCode.PROTOCOL_MISMATCH, "something else than rows");
        assertAnswerSays("jwarp-stat 1\nqp\tcomm=\u001b[2J\n", RdmaErrorCode.PROTOCOL_MISMATCH, "no row");
        assertAnswerSays("x".repeat(1 << 20), RdmaErrorCode.PROTOCOL_MISMATCH, "a line without end");
        assertAnswerSays("jwarp-stat 1\nqp\tlqpn:1\n", RdmaErrorCode.CLOSED_BY_PEER, "stopped before the end");
        assertAnswerSays("jwarp-stat 1\nqp\tlqpn:1\nend\trows:2\n", RdmaErrorCode.CLOSED_BY_PEER, "before the end");
        assertAnswerSays("", RdmaErrorCode.CLOSED_BY_PEER, "stopped before the end");
    }

    @Test
    @DisplayName("may be stopped: the wait has a timeout")
    void stopped() throws IOException {
        new StatFolder(base, StatFolder.userOfThisProcess()).prepare();
        try (ServerSocketChannel mute = listen(PID)) {
            assertThat(mute.isOpen()).isTrue();
            client = new StatClient(base, 200);
            assertSays(RdmaErrorCode.TIMED_OUT, "does not answer");
            // More readers than the backlog may ask.
            for (int i = 0; i < 100; i++) {
                assertSays(RdmaErrorCode.TIMED_OUT, "does not answer");
                client = new StatClient(base, 1);
            }
        }
    }

    @Test
    @DisplayName("may have more readers than its backlog: a reader without a place tries again")
    void crowd() throws Exception {
        new StatFolder(base, StatFolder.userOfThisProcess()).prepare();
        publisher.add(first);
        Path path = new StatFolder(base, StatFolder.userOfThisProcess()).newSocket(PID, new SecureRandom());
        List<SocketChannel> crowd = new ArrayList<>();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path), 1);
            assertThatThrownBy(() -> {
                        while (true) {
                            SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
                            crowd.add(one);
                            one.configureBlocking(false);
                            one.connect(UnixDomainSocketAddress.of(path));
                        }
                    })
                    .isInstanceOf(SocketException.class);
            AtomicReference<Observation> seen = new AtomicReference<>();
            Thread asking = new Thread(() -> seen.set(client.observe(PID)));
            asking.start();
            await().until(() -> !asking.isAlive() || asking.getState() == Thread.State.TIMED_WAITING);
            assertThat(asking.isAlive()).as("it waits for its turn").isTrue();

            for (int i = 0; i < crowd.size(); i++) {
                tell(server, "jwarp-stat 1\nlink\tlink=other/1\nend\trows:1\n");
            }

            asking.join();
            assertThat(seen.get()).isNotNull();
            assertThat(seen.get().all("link"))
                    .extracting(row -> row.text("link"))
                    .contains("other/1");
        } finally {
            for (SocketChannel one : crowd) {
                one.close();
            }
        }
    }

    private ServerSocketChannel listen(long pid) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Path path = new StatFolder(base, StatFolder.userOfThisProcess()).newSocket(pid, new SecureRandom());
        return server.bind(UnixDomainSocketAddress.of(path));
    }

    private void assertAnswerSays(String answer, RdmaErrorCode code, String sentence) throws IOException {
        try (ServerSocketChannel server = listen(PID)) {
            CompletableFuture<Void> told = CompletableFuture.runAsync(() -> tell(server, answer), OwnThread.EACH);
            assertSays(code, sentence);
            told.join();
            Files.delete(((UnixDomainSocketAddress) server.getLocalAddress()).getPath());
        }
    }

    private static void tell(ServerSocketChannel server, String answer) {
        try (SocketChannel reader = server.accept()) {
            ByteBuffer octets = ByteBuffer.wrap(answer.getBytes(UTF_8));
            while (octets.hasRemaining()) {
                reader.write(octets);
            }
        } catch (IOException e) {
            assertThat(answer).as("only a long answer is not read to its end").hasSizeGreaterThan(1_000);
        }
    }

    private void assertSays(RdmaErrorCode code, String sentence) {
        assertThatThrownBy(() -> client.observe(PID))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(sentence);
    }
}
