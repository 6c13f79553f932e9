package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachTcpWorld;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.World;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A command to a connection that arrives after its end")
class LateCommandsTest {
    private static final int MOST_COMMANDS = 1000;

    /**
     * Prepares a queue pair for another connection after the end of the first one, and then runs the {@code late}
     * command of the first one, which must not affect the queues.
     */
    private static void doesNothing(World world, Consumer<QueuePairConnection> late) {
        Endpoint side = Connected.in(world).active;
        QueuePairConnection old = Objects.requireNonNull(((RnicQueuePair) side.queuePair).connection());
        LlpConnection owner = Objects.requireNonNull(old.owner());
        side.queuePair.modify(QueuePairState.ERR);
        side.event(CmEventType.DISCONNECTED);
        world.until("the end of the connection", () -> ((RnicQueuePair) side.queuePair).connection() == null);
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

    /**
     * A thread that posts to a queue pair without a connection completes its own requests. The owner of the ended
     * connection still gets late commands at that time, and must hold no completion that both could publish.
     */
    @EachTcpWorld
    @DisplayName("publishes nothing that is flushed at the same time: each request completes once")
    void once(World.Kind kind) throws InterruptedException {
        int posts = 30_000;
        try (World world = World.of(kind)) {
            Endpoint side = Connected.in(world).active;
            RnicQueuePair queuePair = (RnicQueuePair) side.queuePair;
            QueuePairConnection old = Objects.requireNonNull(queuePair.connection());
            LlpConnection owner = Objects.requireNonNull(old.owner());
            AtomicInteger asked = new AtomicInteger();
            queuePair.modify(QueuePairState.ERR);
            side.event(CmEventType.DISCONNECTED);
            world.until("the end of the connection", () -> queuePair.connection() == null);

            BitSet completed = new BitSet();
            AtomicInteger taken = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            Thread poster = new Thread(() -> {
                for (int id = 0; id < posts && !over.get(); id++) {
                    while (id - taken.get() >= side.completions.capacity() / 2 && !over.get()) {
                        Thread.onSpinWait();
                    }
                    queuePair.postReceive(new ReceiveWorkRequest().id(id).add(side.memory, 0, 8));
                }
            });
            Thread wishes = new Thread(() -> {
                while (!over.get()) {
                    if (asked.get() < MOST_COMMANDS) { // the owner may get no time, and pending commands take memory
                        asked.incrementAndGet();
                        old.postedAfterTheEnd();
                        owner.execute(asked::decrementAndGet);
                    }
                    Thread.onSpinWait();
                }
            });
            poster.start();
            wishes.start();
            WorkCompletion[] into = WorkCompletion.array(64);
            try {
                while (taken.get() < posts) {
                    int count = side.completions.await(into, Endpoint.PATIENCE);
                    assertThat(count).as("completions after " + taken).isPositive();
                    for (int i = 0; i < count; i++) {
                        int id = (int) into[i].id();
                        assertThat(completed.get(id))
                                .as("request " + id + " completed before")
                                .isFalse();
                        completed.set(id);
                        taken.incrementAndGet();
                    }
                }
            } finally {
                over.set(true);
                poster.join();
                wishes.join();
            }
            side.nothing();
        }
    }

    @EachWorld
    @DisplayName("flushes no request of the next connection")
    void flush(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, QueuePairConnection::postedAfterTheEnd);
        }
    }

    @EachWorld
    @DisplayName("fails no request of the next connection")
    void fail(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, QueuePairConnection::fail);
        }
    }

    @EachWorld
    @DisplayName("reports no drained send queue after a hold")
    void hold(World.Kind kind) {
        try (World world = World.of(kind)) {
            doesNothing(world, connection -> connection.holdSends(true));
        }
    }
}
