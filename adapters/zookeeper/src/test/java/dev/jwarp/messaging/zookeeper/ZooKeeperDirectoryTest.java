package dev.jwarp.messaging.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.Place;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A directory in ZooKeeper")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // servers of ZooKeeper may never come up again
class ZooKeeperDirectoryTest {
    private static final int SERVICE = 7;
    private static final String BASE = "/jwarp/services";

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closedLater(T what) {
        open.add(what);
        return what;
    }

    /** At ports that no other test gets, not even while the server is stopped. */
    private InstanceSpec server(int id) throws IOException {
        int[] ports = new int[3];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = closedLater(new HeldPort()).number();
        }
        return new InstanceSpec(null, ports[0], ports[1], ports[2], true, id);
    }

    private TestingServer started() throws Exception {
        return closedLater(new TestingServer(server(1), true));
    }

    /** A process of its own, as far as ZooKeeper can tell. */
    private final class Host {
        final CuratorFramework client;
        final ZooKeeperDirectory directory;

        Host(String servers) {
            this(servers, Patience.LIMIT);
        }

        Host(String servers, Duration session) {
            client = closedLater(CuratorFrameworkFactory.newClient(
                    servers, (int) session.toMillis(), (int) session.toMillis(), new RetryForever(100)));
            client.start();
            directory = closedLater(new ZooKeeperDirectory(client, BASE, InetAddress.getLoopbackAddress()));
        }

        MessageEndpoint endpoint(int service) {
            Context context = closedLater(RdmaProvider.load()
                    .devices()
                    .get(0)
                    .open(Progress.THREADED, Patience.with(Patience.OF_CONNECTIONS, Map.of())));
            return closedLater(MessageEndpoint.open(
                    context,
                    directory,
                    EndpointOptions.of(service).withCarriers(QueuePairType.RC).withTimeout(Duration.ofSeconds(2))));
        }

        void echo() {
            endpoint(SERVICE).onMessage(question -> question.reply(question.data()));
        }

        /** As {@link #echo}, when the node of the service before has gone. */
        void echoWhenFree() {
            while (true) {
                try {
                    echo();
                    return;
                } catch (RdmaException e) {
                    assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE);
                }
            }
        }
    }

    private static void answersAtLast(MessageEndpoint client) throws Exception {
        ByteBuffer question = ByteBuffer.wrap("?".getBytes(UTF_8));
        while (true) {
            try (Message answer = Patience.get(client.call(SERVICE, question.duplicate(), Duration.ofSeconds(2)))) {
                assertThat(answer.data()).isEqualTo(question);
                return;
            } catch (RdmaException e) {
                assertThat(e.code()).isNotEqualTo(RdmaErrorCode.INTERNAL);
            }
        }
    }

    private static RdmaErrorCode failure(CompletionStage<?> stage) {
        try {
            Patience.get(stage.toCompletableFuture());
            throw new AssertionError("did not fail");
        } catch (RdmaException e) {
            return e.code();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("finds a service, the next one that has its id, and refuses the id while it is taken")
    void migration() throws Exception {
        TestingServer server = started();
        Host first = new Host(server.getConnectString());
        Host second = new Host(server.getConnectString());
        MessageEndpoint client = new Host(server.getConnectString()).endpoint(0);
        assertThat(failure(second.directory.find(SERVICE))).isEqualTo(RdmaErrorCode.NOT_FOUND);
        MessageEndpoint old = first.endpoint(SERVICE);
        old.onMessage(question -> question.reply(question.data()));
        answersAtLast(client);
        assertThatThrownBy(() -> second.endpoint(SERVICE))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
        assertThat(Patience.get(first.directory.services().toCompletableFuture()))
                .containsKey(SERVICE);
        old.close();
        second.echoWhenFree();
        answersAtLast(client);
    }

    @Test
    @DisplayName("goes on when one of three servers dies, and when the service moves after that")
    void cluster() throws Exception {
        TestingCluster cluster = closedLater(new TestingCluster(server(1), server(2), server(3)));
        cluster.start();
        Duration session = Duration.ofSeconds(6); // a client waits a third of it for each server
        Host first = new Host(cluster.getConnectString(), session);
        first.echo();
        MessageEndpoint client = new Host(cluster.getConnectString(), session).endpoint(0);
        answersAtLast(client);
        InstanceSpec used = Objects.requireNonNull(
                cluster.findConnectionInstance(first.client.getZookeeperClient().getZooKeeper()));
        cluster.killServer(used);
        answersAtLast(client);
        first.client.close(); // its host dies: the session ends
        Host second = new Host(cluster.getConnectString(), session);
        second.echoWhenFree();
        client.close();
        answersAtLast(new Host(cluster.getConnectString(), session).endpoint(0));
    }

    @Test
    @DisplayName("that is away still finds what it knows, and says of other services that it cannot")
    void away() throws Exception {
        TestingServer server = started();
        Host first = new Host(server.getConnectString());
        first.echo();
        Host other = new Host(server.getConnectString());
        while (Patience.get(other.directory.services().toCompletableFuture()).isEmpty()) {
            Thread.onSpinWait(); // until the copy has it
        }
        MessageEndpoint client = other.endpoint(0);
        server.stop();
        while (failure(other.directory.find(8)) != RdmaErrorCode.UNREACHABLE) {
            Thread.onSpinWait(); // until the client has noticed
        }
        answersAtLast(client);
        server.restart();
        while (failure(other.directory.find(8)) != RdmaErrorCode.NOT_FOUND) {
            Thread.onSpinWait(); // until it is there again
        }
    }

    @Test
    @DisplayName("takes a node for its own if the answer to its first attempt was lost, and if nobody else made it")
    void lostAnswer() throws Exception {
        String server = started().getConnectString();
        Host host = new Host(server);
        Place place =
                new Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_200), EnumSet.of(QueuePairType.RC));
        Place other =
                new Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_201), EnumSet.of(QueuePairType.RC));
        host.client
                .create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(BASE + "/" + SERVICE, ZooKeeperDirectory.encoded(place));
        assertThat(announced(host, other)).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE);
        assertThat(announced(new Host(server), place)).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE);
        host.directory.announce(SERVICE, place);
        assertThat(announced(host, other)).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE);
        host.directory.withdraw(SERVICE, place);
        Host next = new Host(server);
        while (announced(next, other) != null) {
            Thread.onSpinWait(); // until the node has gone
        }
    }

    @Test
    @DisplayName("announces a service, or says that its id is in use, while others come and go")
    void comeAndGo() throws Exception {
        String server = started().getConnectString();
        Host host = new Host(server);
        CuratorFramework other = new Host(server).client;
        Place place =
                new Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_200), EnumSet.of(QueuePairType.RC));
        AtomicBoolean ended = new AtomicBoolean();
        FutureTask<Void> others = new FutureTask<>(() -> {
            while (!ended.get()) {
                try {
                    other.create()
                            .creatingParentsIfNeeded()
                            .withMode(CreateMode.EPHEMERAL)
                            .forPath(BASE + "/" + SERVICE);
                    other.delete().quietly().forPath(BASE + "/" + SERVICE);
                } catch (KeeperException.NodeExistsException e) { // the directory has the node
                    Thread.onSpinWait();
                }
            }
            return null;
        });
        new Thread(others, "others").start();
        try {
            for (int refused = 0; refused < 200; ) {
                RdmaErrorCode why = announced(host, place);
                assertThat(why).isIn(null, RdmaErrorCode.ADDRESS_IN_USE);
                refused += why == null ? 0 : 1;
                host.directory.withdraw(SERVICE, place);
            }
        } finally {
            ended.set(true);
        }
        Patience.get(others);
    }

    @Test
    @DisplayName("deletes the node of an announcement that failed, but not that of a service")
    void forget() throws Exception {
        Host host = new Host(started().getConnectString());
        Place place =
                new Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_200), EnumSet.of(QueuePairType.RC));
        String path = BASE + "/" + SERVICE;
        host.client
                .create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(path, ZooKeeperDirectory.encoded(place));
        host.directory.forget(SERVICE, place);
        while (host.client.checkExists().forPath(path) != null) {
            Thread.onSpinWait();
        }
        host.directory.announce(SERVICE, place);
        host.directory.forget(SERVICE, place);
        for (int i = 0; i < 10; i++) { // answers come in order: that of a delete would be seen
            assertThat(host.client.checkExists().forPath(path)).isNotNull();
        }
    }

    private static @Nullable RdmaErrorCode announced(Host host, Place place) {
        try {
            host.directory.announce(SERVICE, place);
            return null;
        } catch (RdmaException e) {
            return e.code();
        }
    }

    @Test
    @DisplayName("announces services anew in a new session")
    void newSession() throws Exception {
        TestingServer server = started();
        Host first = new Host(server.getConnectString());
        first.echo();
        Host other = new Host(server.getConnectString());
        String path = BASE + "/" + SERVICE;
        long before =
                Objects.requireNonNull(other.client.checkExists().forPath(path)).getEphemeralOwner();
        first.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        while (true) {
            Stat now = other.client.checkExists().forPath(path);
            if (now != null && now.getEphemeralOwner() != before) {
                break;
            }
            Thread.onSpinWait();
        }
        answersAtLast(other.endpoint(0));
    }

    @Test
    @DisplayName("writes places as text, and takes nothing else for a place")
    void text() throws Exception {
        for (String address : List.of("10.0.0.1", "2001:db8:0:0:0:0:0:1")) {
            Place place = new Place(
                    new InetSocketAddress(InetAddress.getByName(address), 7_200),
                    EnumSet.of(QueuePairType.RC, QueuePairType.RD));
            byte[] bytes = ZooKeeperDirectory.encoded(place);
            assertThat(ZooKeeperDirectory.decoded(bytes)).isEqualTo(place);
        }
        assertThat(new String(
                        ZooKeeperDirectory.encoded(new Place(
                                new InetSocketAddress(InetAddress.getByName("10.0.0.1"), 7_200),
                                Set.of(QueuePairType.UD, QueuePairType.RC))),
                        UTF_8))
                .isEqualTo("10.0.0.1 7200 RC,UD");
        for (String none :
                List.of("", "10.0.0.1", "example.com 7200 RC", "10.0.0.1 0 RC", "10.0.0.1 7200 XY", "a b c d")) {
            assertThat(ZooKeeperDirectory.decoded(none.getBytes(UTF_8)))
                    .as(none)
                    .isNull();
        }
        assertThat(ZooKeeperDirectory.decoded(null)).isNull();
    }
}
