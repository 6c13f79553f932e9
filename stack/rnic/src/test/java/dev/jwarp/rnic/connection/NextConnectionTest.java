package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.World;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A queue pair with a new connection before the last steps of the previous one")
class NextConnectionTest {

    /** An hour, so that a wait for the wrong connection is visible. */
    private final World world = World.of(World.Kind.THREADED, Map.of("jwarp.rdmap.disconnect-timeout", "3600000"));

    private final Endpoint side = Connected.endpoint(world, world.connecting());
    private final RnicQueuePair queuePair = (RnicQueuePair) side.domain.createQueuePair(
            QueuePairAttributes.builder(side.completions).build());
    private final RnicCmId first = (RnicCmId) world.connecting().createId();
    private final RnicCmId second = (RnicCmId) world.connecting().createId();

    NextConnectionTest() {
        queuePair.modify(QueuePairState.INIT);
        first.useQueuePair(queuePair);
        second.useQueuePair(queuePair);
    }

    @AfterEach
    void close() {
        QueuePairConnection left = queuePair.connection();
        if (left != null) {
            over(left);
        }
        queuePair.close();
        world.close();
    }

    /** {@return a connection whose owner passes its tasks to {@code task}} */
    private static LlpConnection owner(Consumer<Runnable> task) {
        return (LlpConnection) Proxy.newProxyInstance(
                NextConnectionTest.class.getClassLoader(),
                new Class<?>[] {LlpConnection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        task.accept((Runnable) arguments[0]);
                    }
                    Class<?> type = method.getReturnType();
                    return type == int.class ? (Object) 1024 : type == boolean.class ? (Object) true : null;
                });
    }

    private static void awaitState(Thread thread, Thread.State... states) {
        Awaitility.await().until(() -> List.of(states).contains(thread.getState()));
    }

    private QueuePairConnection begin(RnicCmId id) {
        QueuePairConnection connection = queuePair.begin(id.life());
        connection.owner(owner(task -> {}));
        List.of(CmIdState.Move.RESOLVE, CmIdState.Move.CONNECT, CmIdState.Move.ESTABLISH)
                .forEach(move -> id.life().move(move));
        return connection;
    }

    private void over(QueuePairConnection connection) {
        queuePair.withoutPosts(() -> queuePair.connectionOver(connection));
        Inside.connections(side.context).liveConnections().over(connection);
    }

    /** Ends the connection without its event to the program, which begins a new connection. */
    private QueuePairConnection next(QueuePairConnection before) {
        over(before);
        queuePair.modify(QueuePairState.RESET);
        queuePair.modify(QueuePairState.INIT);
        return begin(second);
    }

    /**
     * Checks that a thread that waits for the first connection in {@code wait} returns at its end, despite the new
     * connection.
     */
    private void waits(QueuePairConnection connection, Runnable wait) throws InterruptedException {
        Thread waiter = new Thread(wait);
        waiter.setDaemon(true);
        waiter.start();
        awaitState(waiter, Thread.State.WAITING, Thread.State.TIMED_WAITING);
        next(connection);
        Inside.core(side.context).progression().signal(connection);
        waiter.join(Patience.MILLIS);
        assertThat(waiter.isAlive()).as("waits for the next connection").isFalse();
    }

    @Test
    @DisplayName("does not block a thread that closes the previous id")
    void closed() throws InterruptedException {
        QueuePairConnection connection = begin(first);
        waits(connection, connection::finish);
    }

    @Test
    @DisplayName("does not block a thread that closes the previous id, whose connection ends in order")
    void closeInOrder() throws InterruptedException {
        QueuePairConnection connection = begin(first);
        connection.disconnect();
        waits(connection, connection::finish);
    }

    @Test
    @DisplayName("does not block a thread that disconnects the previous connection and waits")
    void disconnect() throws InterruptedException {
        QueuePairConnection connection = begin(first);
        waits(connection, first::disconnect);
    }

    @Test
    @DisplayName("keeps the new connection when the previous one is disconnected late")
    void lateDisconnect() {
        QueuePairConnection next = next(begin(first));
        first.migrate(side.events);
        first.disconnect();
        assertThat(next.ending()).isFalse();
    }

    @Test
    @DisplayName("does not send requests that were flushed during the call of connect")
    void flushedMeanwhile() throws InterruptedException {
        Thread beginner = new Thread(() -> queuePair.begin(first.life()));
        queuePair.withoutPosts(() -> {
            beginner.start();
            awaitState(beginner, Thread.State.BLOCKED);
            queuePair.modify(QueuePairState.ERR);
            queuePair.postSend(new SendWorkRequest().id(1));
            queuePair.modify(QueuePairState.RESET);
            queuePair.modify(QueuePairState.INIT);
        });
        beginner.join();
        QueuePairConnection connection = Objects.requireNonNull(queuePair.connection());
        connection.onEstablished(owner(Runnable::run), new LlpAgreement(false, 0, 0, ReadyToReceive.NONE), 0);
        queuePair.postSend(new SendWorkRequest().id(2));
        connection.onClosed(LlpEnd.RESET, 0);
        for (int id = 1; id <= 2; id++) {
            var completion = side.next();
            assertThat(completion.id()).isEqualTo(id);
            assertThat(completion.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        }
        side.nothing();
    }
}
