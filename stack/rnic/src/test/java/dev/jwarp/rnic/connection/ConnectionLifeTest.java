package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.World;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A connection with an emulated lower layer")
class ConnectionLifeTest {
    private static final LlpAgreement AGREED = new LlpAgreement(false, 0, 0, ReadyToReceive.NONE);

    /** An hour, so that a wait for the wrong condition is visible. */
    private final World world = World.of(World.Kind.THREADED, Map.of("jwarp.rdmap.disconnect-timeout", "3600000"));

    private final Endpoint side = Connected.endpoint(world, world.connecting());
    private final RnicQueuePair queuePair = (RnicQueuePair) side.domain.createQueuePair(
            QueuePairAttributes.builder(side.completions).build());
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final LlpConnection lower = played(LlpConnection.class);
    private final QueuePairConnection connection;

    ConnectionLifeTest() {
        queuePair.modify(QueuePairState.INIT);
        connection = queuePair.begin((error, how, why) -> calls.add("told"));
    }

    @AfterEach
    void close() {
        if (!connection.ready()) {
            connection.onClosed(LlpEnd.ABORTED, 0); // in case the test failed before
        }
        world.close();
    }

    /** {@return a lower layer that only runs tasks, and records the calls} */
    private <T> T played(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                ConnectionLifeTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return switch (method.getName()) {
                        case "execute" -> {
                            ((Runnable) arguments[0]).run();
                            yield null;
                        }
                        case "mulpdu" -> 1024;
                        case "begin" -> 0;
                        case "buffer" -> ByteBuffer.allocate(1024);
                        case "ordered" -> true;
                        default -> null;
                    };
                }));
    }

    @Test
    @DisplayName("whose connect threw is aborted when it is established nevertheless, and its end changes nothing")
    void unbegun() {
        assertThat(queuePair.unbegin(connection)).isTrue();
        assertThat(queuePair.unbegin(connection)).as("once").isFalse();
        queuePair.postReceive(new ReceiveWorkRequest().id(1));
        connection.onEstablished(lower, AGREED, 0);
        assertThat(calls).contains("abort");
        connection.onClosed(LlpEnd.ABORTED, 0);
        side.nothing();
        assertThat(calls).doesNotContain("told");
        assertThat(queuePair.state()).isEqualTo(QueuePairState.INIT);
        assertThat(queuePair.query().receivesOutstanding()).isEqualTo(1);
        queuePair.close();
    }

    @Test
    @DisplayName("ends by itself with a Terminate to send, but not after an abort")
    void terminate() {
        connection.onEstablished(lower, AGREED, 0);
        assertThat(connection.ending()).isFalse();
        connection.terminate("for the test");
        assertThat(connection.ending()).isTrue();
        connection.fail();
        assertThat(connection.ending()).isFalse();
        connection.onClosed(LlpEnd.ABORTED, 0);
        assertThat(connection.ready()).isTrue();
        assertThat(calls).containsOnlyOnce("told");
        queuePair.close();
    }

    @Test
    @DisplayName("is ending from the program's disconnect on, before its owner processes the disconnect")
    void disconnect() {
        assertThat(connection.ending()).isFalse();
        connection.disconnect();
        assertThat(connection.ending()).as("no owner is known yet").isTrue();
        connection.onEstablished(lower, AGREED, 0);
        assertThat(connection.ending()).isTrue();
        connection.onClosed(LlpEnd.GRACEFUL, 0);
        queuePair.close();
    }

    @Test
    @DisplayName("that ends in order releases a closing thread after the completion of the last request")
    void drained() {
        connection.onEstablished(lower, AGREED, 0);
        queuePair.postSend(new SendWorkRequest().id(1));
        connection.disconnect();
        Thread closer = new Thread(queuePair::close);
        closer.setDaemon(true);
        closer.start();
        Awaitility.await()
                .until(() -> List.of(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                        .contains(closer.getState()));
        UlpduWriter out = played(UlpduWriter.class);
        while (connection.pollUlpdu(out, 0)) {
            connection.onTransmitted(0);
        }
        connection.settled();
        Awaitility.await().until(() -> !closer.isAlive());
        assertThat(connection.ready()).as("the peer has not closed").isFalse();
        assertThat(side.next().succeeded()).isTrue();
        connection.onClosed(LlpEnd.GRACEFUL, 0);
        assertThat(connection.ready()).isTrue();
    }
}
