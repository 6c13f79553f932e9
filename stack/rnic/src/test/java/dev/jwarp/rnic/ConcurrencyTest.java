package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Several threads")
class ConcurrencyTest {
    private static final int POSTERS = 4;
    private static final int MESSAGES = Whole.or(800, 2_000);

    /** Pollers may get no time for a while, so the completion queues hold all completions. */
    private static final int MOST_UNPOLLED = 2_000;

    private static final Duration MOMENT = Duration.ofMillis(20);

    private static CompletableFuture<Void> inItsOwnThread(Runnable task) {
        return CompletableFuture.runAsync(task, OwnThread.EACH);
    }

    private static void all(List<CompletableFuture<Void>> threads) throws Exception {
        CompletableFuture.allOf(threads.toArray(new CompletableFuture<?>[0])).get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    @EachTcpWorld
    @DisplayName("post to one queue pair and poll one completion queue: each request completes exactly once")
    void exactlyOnce(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            int total = POSTERS * MESSAGES;
            AtomicLongArray sent = new AtomicLongArray(total);
            AtomicLongArray received = new AtomicLongArray(total);
            AtomicInteger sentCount = new AtomicInteger();
            AtomicInteger receivedCount = new AtomicInteger();
            AtomicInteger credits = new AtomicInteger();
            AtomicInteger posted = new AtomicInteger();
            ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

            List<CompletableFuture<Void>> threads = new ArrayList<>();
            threads.add(inItsOwnThread(() -> {
                for (int i = 0; i < total; i++) {
                    while (i - receivedCount.get() >= MOST_UNPOLLED
                            || !pair.passive.queuePair.tryPostReceive(
                                    new ReceiveWorkRequest().id(i).add(pair.passive.memory, (i % 1000) * 8L, 8))) {
                        world.listening().poll();
                    }
                    credits.incrementAndGet();
                }
            }));
            for (int poster = 0; poster < POSTERS; poster++) {
                int first = poster * MESSAGES;
                threads.add(inItsOwnThread(() -> {
                    SendWorkRequest request = new SendWorkRequest();
                    for (int i = 0; i < MESSAGES; i++) {
                        while (credits.getAndUpdate(count -> count > 0 ? count - 1 : 0) == 0) {
                            Thread.onSpinWait();
                        }
                        request.clear().id(first + i).add(pair.active.memory, 0, 8);
                        while (posted.get() - sentCount.get() >= MOST_UNPOLLED
                                || !pair.active.queuePair.tryPostSend(request)) {
                            Thread.onSpinWait();
                        }
                        posted.incrementAndGet();
                    }
                }));
            }
            for (int poller = 0; poller < 2; poller++) {
                threads.add(inItsOwnThread(
                        () -> poll(pair.active, sent, sentCount, total, WorkCompletionOpcode.SEND, failures)));
                threads.add(inItsOwnThread(
                        () -> poll(pair.passive, received, receivedCount, total, WorkCompletionOpcode.RECV, failures)));
            }
            all(threads);
            assertThat(failures).isEmpty();
            for (int i = 0; i < total; i++) {
                assertThat(sent.get(i)).as("completions of send " + i).isEqualTo(1);
                assertThat(received.get(i)).as("completions of receive " + i).isEqualTo(1);
            }
        }
    }

    private static void poll(
            Endpoint side,
            AtomicLongArray seen,
            AtomicInteger count,
            int total,
            WorkCompletionOpcode opcode,
            ConcurrentLinkedQueue<String> failures) {
        WorkCompletion[] some = WorkCompletion.array(16);
        while (count.get() < total && failures.isEmpty()) {
            int taken = side.completions.await(some, MOMENT);
            for (int i = 0; i < taken; i++) {
                if (!some[i].succeeded() || some[i].opcode() != opcode) {
                    failures.add(some[i].describe());
                }
                seen.incrementAndGet((int) some[i].id());
            }
            count.addAndGet(taken);
        }
    }

    @EachTcpWorld
    @DisplayName("wait on different queues of one context: each gets its own")
    void waiters(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            List<Connected> pairs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                pairs.add(Connected.in(world));
            }
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (Connected pair : pairs) {
                threads.add(inItsOwnThread(() -> {
                    for (int i = 0; i < 500; i++) {
                        // Posted before the answer: the next message may follow it at once.
                        assertThat(pair.passive.success().opcode()).isEqualTo(WorkCompletionOpcode.RECV);
                        pair.passive.receive(i, 0, 8);
                        pair.passive.queuePair.postSend(
                                new SendWorkRequest().signaled(false).add(pair.passive.memory, 0, 8));
                    }
                }));
                pair.passive.receive(0, 0, 8);
                threads.add(inItsOwnThread(() -> {
                    for (int i = 0; i < 500; i++) {
                        pair.active.receive(i, 0, 8);
                        pair.active.send(i, 0, 8);
                        pair.active.next(2);
                    }
                }));
            }
            all(threads);
        }
    }

    @EachTcpWorld
    @DisplayName("close, disconnect and post at the same time: every request completes, nothing hangs")
    void ending(World.Kind kind) throws Exception {
        for (int round = 0; round < 20; round++) {
            try (World world = World.of(kind)) {
                Connected pair = Connected.in(world);
                AtomicInteger posted = new AtomicInteger();
                List<CompletableFuture<Void>> threads = new ArrayList<>();
                for (int poster = 0; poster < 2; poster++) {
                    threads.add(inItsOwnThread(() -> {
                        for (int i = 0; i < 60; i++) {
                            pair.active.receive(i, 0, 8);
                            posted.incrementAndGet();
                        }
                    }));
                }
                boolean disconnect = round % 2 == 0;
                threads.add(inItsOwnThread(() -> {
                    if (disconnect) {
                        pair.passive.id.disconnect();
                        pair.active.id.disconnect();
                    } else {
                        pair.passive.queuePair.close();
                    }
                }));
                all(threads);
                assertThat(pair.active.next(posted.get()))
                        .as("all of them")
                        .hasSize(120)
                        .noneMatch(WorkCompletion::succeeded);
                pair.active.event(CmEventType.DISCONNECTED);
            }
        }
    }
}
