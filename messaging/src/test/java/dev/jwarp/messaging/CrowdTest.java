package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Services that send each other messages of all kinds at once, each from a thread of its own. */
@DisplayName("A crowd of services")
class CrowdTest {
    private static final int SERVICES = 16;
    private static final int MESSAGES = Whole.or(40, 1_000);
    private static final int CLOSINGS = Whole.or(10, 100);
    private static final int MOST_BYTES = 100_000;
    private static final int REPLY_BYTES = 20_000;
    /** Futures of one service that are not done yet. */
    private static final int AT_ONCE = 8;

    private static final Duration SOON = Duration.ofSeconds(2);

    private QueuePairType carrier = QueuePairType.RC;
    private final Directory directory = new LoopbackDirectory();
    private final AtomicReferenceArray<MessageEndpoint> endpoints = new AtomicReferenceArray<>(SERVICES + 1);
    private final AtomicInteger shortSent = new AtomicInteger();
    private final AtomicInteger longSent = new AtomicInteger();
    private final AtomicInteger shortCame = new AtomicInteger();
    private final AtomicInteger longCame = new AtomicInteger();
    private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean closings;
    private final AtomicInteger said = new AtomicInteger();

    private static ByteBuffer filled(int length, int seed) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        FaultsTest.fill(bytes, seed);
        return bytes;
    }

    private static MessageBuffer filled(MessageEndpoint of, int length, int seed) {
        MessageBuffer made = of.buffers().allocate(length);
        FaultsTest.fill(made.data(), seed);
        return made;
    }

    // ---- one service

    private void open(Machine on, int id) {
        EndpointOptions options =
                EndpointOptions.of(id).withCarriers(carrier).withTimeout(closings ? SOON : Patience.LIMIT);
        MessageEndpoint made = MessageEndpoint.open(on.context, directory, options);
        made.onMessage(message -> received(made, message));
        endpoints.set(id, made);
    }

    private void received(MessageEndpoint at, Message message) {
        try {
            int seed = FaultsTest.checked(message.data());
            if (!message.isCall()) {
                (message.isLong() ? longCame : shortCame).incrementAndGet();
            } else if (seed % 2 == 0) {
                message.reply(filled(64, seed));
            } else {
                MessageBuffer reply = filled(at, REPLY_BYTES, seed);
                try {
                    CompletableFuture<Void> unused =
                            message.replyLong(reply).whenComplete((done, failure) -> reply.close());
                } catch (RdmaException e) {
                    reply.close();
                    throw e;
                }
            }
        } catch (RdmaException e) {
            failed(e, false);
        } catch (RuntimeException | AssertionError e) {
            wrong.add(e);
        }
    }

    /**
     * A failure that only the end of a service permits, and over UD the loss of a datagram.
     *
     * @param hasty of a call whose reply may come too late
     */
    private void failed(Throwable failure, boolean hasty) {
        RdmaErrorCode code = failure instanceof RdmaException known ? known.code() : RdmaErrorCode.INTERNAL;
        boolean late = code == RdmaErrorCode.TIMED_OUT && (hasty || carrier == QueuePairType.UD);
        boolean full = code == RdmaErrorCode.LIMIT_REACHED; // of return buffers whose late replies have not come
        if (!closings && !late && !full) {
            wrong.add(failure);
        }
    }

    private void talk(int me) {
        SplittableRandom random = new SplittableRandom(me);
        Deque<Future<?>> open = new ArrayDeque<>();
        try {
            for (int i = 0; i < MESSAGES; i++) {
                try {
                    say(endpoints.get(me), 1 + (me + random.nextInt(SERVICES - 1)) % SERVICES, random, open);
                } catch (RdmaException e) {
                    failed(e, false);
                }
                said.incrementAndGet();
                while (open.size() >= AT_ONCE) {
                    Patience.get(open.remove());
                }
            }
            for (Future<?> each : open) {
                Patience.get(each);
            }
        } catch (Exception | AssertionError e) {
            wrong.add(e);
        }
    }

    private void say(MessageEndpoint from, int to, SplittableRandom random, Deque<Future<?>> open) {
        int seed = random.nextInt();
        int kind = random.nextInt(4);
        boolean hasty = random.nextInt(3) == 0;
        Duration limit = hasty
                ? Duration.ofMillis(random.nextInt(1, 40))
                : closings || carrier == QueuePairType.UD ? SOON : Patience.LIMIT;
        if (kind == 0) {
            from.sendShort(to, filled(random.nextInt(4, 1_400), seed));
            shortSent.incrementAndGet();
        } else if (kind == 1) {
            List<MessageBuffer> room =
                    seed < 0 ? List.of() : List.of(from.buffers().allocate(REPLY_BYTES));
            try {
                open.add(ended(from.call(to, filled(100, seed), room, limit), hasty));
            } catch (RdmaException e) {
                room.forEach(MessageBuffer::close);
                throw e;
            }
        } else {
            MessageBuffer message = filled(from, random.nextInt(4, MOST_BYTES), seed);
            try {
                open.add((kind == 2
                                ? ended(from.sendLong(to, message), false)
                                : ended(from.callLong(to, List.of(message), List.of(), limit), hasty))
                        .whenComplete((done, failure) -> message.close()));
                longSent.addAndGet(kind == 2 ? 1 : 0);
            } catch (RdmaException e) {
                message.close();
                throw e;
            }
        }
    }

    private CompletableFuture<Void> ended(CompletableFuture<?> future, boolean hasty) {
        return future.handle((reply, failure) -> {
            if (failure != null) {
                failed(failure, hasty);
            } else if (reply instanceof Message message) {
                FaultsTest.checked(message.data());
                message.close();
            }
            return null;
        });
    }

    // ---- all of them

    private boolean allBuffersFree() {
        boolean free = true;
        for (int id = 1; id <= SERVICES; id++) {
            free &= endpoints.get(id).buffers().taken() == 0;
        }
        return free;
    }

    private long counted(String name) {
        long sum = 0;
        for (int id = 1; id <= SERVICES; id++) {
            sum += MessageEndpointTest.counter(endpoints.get(id), name);
        }
        return sum;
    }

    private void crowd(QueuePairType by, boolean close) throws Exception {
        carrier = by;
        closings = close;
        try (Machine one = new Machine(Progress.THREADED, Map.of());
                Machine two = new Machine(Progress.THREADED, Map.of());
                Machine three = new Machine(Progress.INLINE, Map.of())) {
            List<Machine> machines = List.of(one, two, three);
            List<Thread> talkers = new ArrayList<>();
            try {
                for (int id = 1; id <= SERVICES; id++) {
                    open(machines.get(id % machines.size()), id);
                }
                for (int id = 1; id <= SERVICES; id++) {
                    int me = id;
                    talkers.add(new Thread(() -> talk(me), "service " + id));
                    talkers.get(id - 1).start();
                }
                SplittableRandom random = new SplittableRandom(1);
                for (int i = 1; close && i <= CLOSINGS; i++) {
                    int due = i * (SERVICES * MESSAGES / (CLOSINGS + 1));
                    FaultsTest.await(() -> said.get() >= due || !wrong.isEmpty());
                    int id = random.nextInt(1, SERVICES + 1);
                    endpoints.get(id).close();
                    open(machines.get(id % machines.size()), id);
                }
                for (Thread each : talkers) {
                    each.join();
                }
                assertThat(wrong).isEmpty();
                if (!close) {
                    FaultsTest.await(() -> longCame.get() == longSent.get());
                    FaultsTest.await(() -> by == QueuePairType.UD || shortCame.get() == shortSent.get());
                    assertThat(counted("messages_conversations_failed")).isZero();
                    assertThat(counted("messages_conversations")).isLessThanOrEqualTo(SERVICES * (SERVICES - 1L));
                }
                if (!close || by != QueuePairType.UD) { // where Reads of a peer that is gone go on for a while
                    FaultsTest.await(this::allBuffersFree);
                }
            } finally {
                for (int id = 1; id <= SERVICES && endpoints.get(id) != null; id++) {
                    endpoints.get(id).close();
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("gets all messages whole, and all buffers back")
    void all(QueuePairType by) throws Exception {
        crowd(by, false);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends all messages, and gets its buffers back, while services close and come again")
    void closings(QueuePairType by) throws Exception {
        crowd(by, true);
    }
}
