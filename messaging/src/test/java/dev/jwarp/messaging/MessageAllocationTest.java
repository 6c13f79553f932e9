package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A short message allocates nothing")
class MessageAllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int SMALLEST_OBJECT = 16;
    private static final int SERVER = 7;
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
        StaticDirectory directory = new StaticDirectory(Map.of(SERVER, MessageEndpointTest.freeAddress()));
        EndpointOptions options = EndpointOptions.of(0).withCarriers(carrier);
        try (Machine near = new Machine(Progress.THREADED, Map.of());
                Machine far = new Machine(Progress.THREADED, Map.of());
                MessageEndpoint server = MessageEndpoint.open(far.context, directory, options.withService(SERVER));
                MessageEndpoint client = MessageEndpoint.open(near.context, directory, options)) {
            Pong ping = new Pong(client);
            Pong pong = new Pong(server);
            client.onMessage(ping);
            server.onMessage(pong);
            client.sendShort(SERVER, ByteBuffer.allocate(64));
            assertThat(Patience.get(pong.result)).isLessThan(SMALLEST_OBJECT); // RD allocates now and then
        }
    }
}
