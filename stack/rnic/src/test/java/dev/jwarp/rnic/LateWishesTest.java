package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.QueuePairState;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;

@DisplayName("What was asked of a connection just before its end, and comes to it afterwards")
class LateWishesTest {
    /**
     * A queue pair whose connection is over is made ready for another one; then comes what was {@code late} for the old
     * one. What the queue pair holds by then is none of the old one's business.
     */
    private static void doesNothing(World world, Consumer<QueuePairStream> late) {
        Endpoint side = Connected.in(world).active;
        QueuePairStream old = Objects.requireNonNull(((RnicQueuePair) side.queuePair).stream());
        LlpConnection owner = Objects.requireNonNull(old.connection());
        side.queuePair.modify(QueuePairState.ERR);
        side.event(CmEventType.DISCONNECTED);
        world.until("the end of the connection", () -> ((RnicQueuePair) side.queuePair).stream() == null);
        side.queuePair.modify(QueuePairState.RESET);
        side.queuePair.modify(QueuePairState.INIT);
        side.receive(1, 0, 8);

        late.accept(old);
        AtomicBoolean reached = new AtomicBoolean();
        owner.execute(() -> reached.set(true));
        world.until("the owner, who takes one after the other", reached::get);

        side.nothing();
        assertThat(side.queuePair.query().receivesOutstanding()).isEqualTo(1);
        assertThat(side.queuePair.state()).isEqualTo(QueuePairState.INIT);
        for (AsyncEvent event = side.context.pollAsyncEvent(); event != null; event = side.context.pollAsyncEvent()) {
            assertThat(event.type()).as(event.toString()).isNotEqualTo(AsyncEventType.SQ_DRAINED);
        }
    }

    @EachWorld
    @DisplayName("flushes nothing that was posted for the next connection")
    void flush(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, QueuePairStream::postedAfterTheEnd);
        }
    }

    @EachWorld
    @DisplayName("fails nothing that was posted for the next connection")
    void fail(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, QueuePairStream::fail);
        }
    }

    @EachWorld
    @DisplayName("tells of no send queue that was drained, if it was to be held")
    void hold(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, stream -> stream.holdSends(true));
        }
    }
}
