package dev.jwarp.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A caching proxy")
class CachingProxyTest {
    private static final int OBJECTS = 16;
    private static final int OWNER = 9;

    private static Context context() {
        return RdmaProvider.load()
                .devices()
                .get(0)
                .open(Progress.THREADED, Patience.with(Patience.OF_CONNECTIONS, Map.of()));
    }

    /** A value of which every long is the same number. */
    private static byte[] value(long number) {
        ByteBuffer value = ByteBuffer.allocate(8 * Long.BYTES);
        while (value.hasRemaining()) {
            value.putLong(number);
        }
        return value.array();
    }

    @Test
    @DisplayName("never answers with an old value, and answers while the program of the owner does something else")
    void neverOld() throws Exception {
        StaticDirectory directory = new StaticDirectory(Map.of(
                OWNER,
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        ThreadLocalRandom.current().nextInt(10_000, 30_000))));
        EndpointOptions options =
                EndpointOptions.of(0).withCarriers(QueuePairType.RC).withTimeout(Patience.LIMIT);
        AtomicLongArray updated = new AtomicLongArray(OBJECTS);
        AtomicBoolean ended = new AtomicBoolean();
        try (Context near = context();
                Context far = context();
                MessageEndpoint service = MessageEndpoint.open(far, directory, options.withService(OWNER));
                MessageEndpoint client = MessageEndpoint.open(near, directory, options);
                Origin origin = new Origin(far, service, InetAddress.getLoopbackAddress(), OBJECTS)) {
            Thread server = new Thread(() -> {
                while (!ended.get()) {
                    origin.serve(Duration.ofMillis(20));
                }
            });
            Thread writer = new Thread(() -> {
                SplittableRandom random = new SplittableRandom(1);
                for (long number = 1; !ended.get(); number++) {
                    int object = random.nextInt(OBJECTS);
                    origin.update(object, value(number));
                    updated.set(object, number); // from now on no lower number may be seen
                    for (int i = random.nextInt(100); i > 0; i--) {
                        Thread.onSpinWait();
                    }
                }
            });
            server.start();
            writer.start();
            SplittableRandom random = new SplittableRandom(2);
            long changes = 0;
            try (CachingProxy proxy = new CachingProxy(near, client, directory, OWNER, Patience.LIMIT)) {
                long[] seen = new long[OBJECTS];
                for (int i = 0; i < Whole.or(20_000, 1_000_000); i++) {
                    int object = random.nextInt(OBJECTS);
                    long atLeast = updated.get(object);
                    byte[] got = proxy.get(object);
                    long number = got.length == 0 ? 0 : ByteBuffer.wrap(got).getLong();
                    assertThat(number).as("get %d", i).isGreaterThanOrEqualTo(Math.max(atLeast, seen[object]));
                    if (number > 0) {
                        assertThat(got).isEqualTo(value(number));
                    }
                    changes += number > seen[object] ? 1 : 0;
                    seen[object] = number;
                }
            } finally {
                ended.set(true);
                server.join();
                writer.join();
            }
            assertThat(changes).isPositive();
            needsNoOwner(near, client, directory, origin);
        }
    }

    /** The owner's program answers nothing while a value does not change. */
    private static void needsNoOwner(Context context, MessageEndpoint client, StaticDirectory directory, Origin origin)
            throws Exception {
        Thread serves = new Thread(() -> {
            for (int questions = 0; questions < 2; questions++) {
                origin.serve(Patience.LIMIT); // the port, and the value of object 0
            }
        });
        serves.start();
        try (CachingProxy proxy = new CachingProxy(context, client, directory, OWNER, Patience.LIMIT)) {
            byte[] value = proxy.get(0);
            serves.join();
            assertThatThrownBy(() -> Patience.get(client.call(OWNER, ByteBuffer.allocate(5), Duration.ofMillis(50))))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT));
            assertThat(proxy.get(0)).isEqualTo(value);
            origin.update(0, value(-1));
            FutureTask<byte[]> next = new FutureTask<>(() -> proxy.get(0));
            Thread reads = new Thread(next);
            reads.start();
            while (!next.isDone()) {
                origin.serve(Duration.ofMillis(20));
            }
            assertThat(next.get()).isEqualTo(value(-1));
        }
    }
}
