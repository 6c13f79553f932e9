package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A short message allocates nothing")
class MessageAllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int SMALLEST_OBJECT = 16;
    private static final int SERVER = 7;
    private static final Duration A_WHILE = Duration.ofMillis(100);
    private static final int WARM_UP = Whole.or(1_000, 5_000);
    private static final int ROUNDS = 5;
    private static final int MESSAGES = Whole.or(500, 2_000);

    /** Answers each message on the thread that got it, and counts what that thread allocates. */
    private static final class Pong implements MessageHandler {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        private final MessageEndpoint endpoint;
        private int messages;
        private long before;
        private long least = Long.MAX_VALUE;
        final CompletableFuture<Long> result = new CompletableFuture<>();

        Pong(MessageEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public void onMessage(Message message) {
            messages++;
            if (messages >= WARM_UP && (messages - WARM_UP) % MESSAGES == 0) {
                long now = THREADS.getCurrentThreadAllocatedBytes();
                least = messages == WARM_UP ? least : Math.min(least, now - before);
                before = now;
                if (messages == WARM_UP + ROUNDS * MESSAGES) {
                    result.complete(least / MESSAGES);
                }
            }
            if (!result.isDone()) {
                endpoint.sendShort(message.source(), bytes);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("between handlers on event loops")
    void handlers(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier)) {
            Pong pong = new Pong(two.server);
            two.client.onMessage(new Pong(two.client));
            two.server.onMessage(pong);
            two.client.sendShort(SERVER, ByteBuffer.allocate(64));
            assertThat(Patience.get(pong.result)).isLessThan(SMALLEST_OBJECT); // RD: timers of Netty, now and then
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("in a thread that waits for each answer")
    void receives(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier)) {
            two.server.onMessage(message -> two.server.sendShort(message.source(), two.bytes));
            ByteBuffer question = ByteBuffer.allocateDirect(64);
            assertThat(two.leastOf(() -> {
                        two.client.sendShort(SERVER, question);
                        try (Message answer = two.client.receive(A_WHILE)) {
                            return answer != null; // over UD it can be lost
                        }
                    }))
                    .isLessThan(SMALLEST_OBJECT);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "RD"})
    @DisplayName("in a thread that sends faster than the service takes messages")
    void waits(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier)) {
            two.server.onMessage(message -> {});
            ByteBuffer message = ByteBuffer.allocateDirect(64);
            assertThat(two.leastOf(() -> {
                        two.client.sendShort(SERVER, message);
                        return true;
                    }))
                    .isLessThan(SMALLEST_OBJECT);
        }
    }

    /** A client and a service, each with threads of its own. */
    private static final class Two implements AutoCloseable {
        private final Machine near = new Machine(Progress.THREADED, Map.of());
        private final Machine far = new Machine(Progress.THREADED, Map.of());
        final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        final MessageEndpoint server;
        final MessageEndpoint client;

        Two(QueuePairType carrier) throws IOException {
            Directory directory = new LoopbackDirectory();
            EndpointOptions options = EndpointOptions.of(0).withCarriers(carrier);
            server = MessageEndpoint.open(far.context, directory, options.withService(SERVER));
            client = MessageEndpoint.open(near.context, directory, options);
        }

        /** {@return bytes that the calling thread allocates for each exchange, the least of some rounds} */
        long leastOf(BooleanSupplier exchange) {
            long least = Long.MAX_VALUE;
            for (int round = -1; round < ROUNDS && least >= (long) MESSAGES * SMALLEST_OBJECT; round++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                int done = 0;
                for (int i = 0; i < MESSAGES; i++) {
                    done += exchange.getAsBoolean() ? 1 : 0;
                }
                long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
                least = round < 0 || done == 0 ? least : Math.min(least, allocated);
            }
            return least / MESSAGES;
        }

        @Override
        public void close() throws Exception {
            client.close();
            server.close();
            near.close();
            far.close();
        }
    }
}
