package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import dev.jwarp.verbs.async.AsyncQueuePair;
import dev.jwarp.verbs.async.WorkRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@DisplayName("Work requests as futures")
@SuppressWarnings("FutureReturnValueIgnored") // not all are of interest
class AsyncQueuePairTest {
    private static final int DEPTH = 8;

    /** One end. */
    private static final class End {
        final World world;
        final CmId id;
        final CmEventChannel events;
        final MemoryRegion memory;
        final AsyncQueuePair pair;

        End(World world, Context context, CmId given, int depth) {
            this.world = world;
            id = given;
            events = context.createEventChannel();
            id.migrate(events);
            ProtectionDomain domain = context.allocateProtectionDomain();
            memory = domain.allocate(
                    4096,
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_READ,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.REMOTE_ATOMIC);
            pair = AsyncQueuePair.create(id, domain, depth, depth);
        }

        void put(int offset, String text) {
            for (int i = 0; i < text.length(); i++) {
                memory.buffer().put(offset + i, (byte) text.charAt(i));
            }
        }

        String get(int offset, int length) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < length; i++) {
                text.append((char) memory.buffer().get(offset + i));
            }
            return text.toString();
        }

        WorkCompletion done(CompletableFuture<WorkCompletion> future) {
            world.until("its end", future::isDone);
            return future.join();
        }

        WorkRequestException failed(CompletableFuture<WorkCompletion> future) {
            world.until("its end", future::isDone);
            Throwable[] thrown = new Throwable[1];
            assertThatThrownBy(future::join)
                    .isInstanceOf(CompletionException.class)
                    .satisfies(e -> thrown[0] = e.getCause());
            return (WorkRequestException) thrown[0];
        }

        /** Answers each message with itself, in capitals. */
        void serve(int slot) {
            int in = 1024 + 64 * slot;
            int out = 2048 + 64 * slot;
            pair.receive(memory, in, 64).thenAccept(came -> {
                put(out, get(in, came.byteLength()).toUpperCase(Locale.ROOT));
                pair.send(memory, out, came.byteLength()).thenRun(() -> serve(slot));
            });
        }
    }

    private final List<End> ends = new ArrayList<>();

    /** {@return the connecting end; the listening one is {@code ends.get(1)}} */
    private End connect(World world, int depth) {
        CmEventChannel requests = world.listening().createEventChannel();
        CmId listener = world.listening().createId(requests);
        listener.bind(world.address(0));
        listener.listen(0);
        End active = new End(world, world.connecting(), world.connecting().createId(), depth);
        active.id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        assertThat(Objects.requireNonNull(active.events.await(Side.PATIENCE)).type())
                .isEqualTo(CmEventType.ADDR_RESOLVED);
        active.id.connect();
        CmId request = Objects.requireNonNull(requests.await(Side.PATIENCE)).id();
        End passive = new End(world, world.listening(), Objects.requireNonNull(request), depth);
        passive.id.accept();
        for (End end : List.of(passive, active)) {
            assertThat(Objects.requireNonNull(end.events.await(Side.PATIENCE)).type())
                    .isEqualTo(CmEventType.ESTABLISHED);
            ends.add(end);
        }
        return active;
    }

    private static void assertRefused(RdmaErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(code));
    }

    @EachWorld
    @DisplayName("complete with a completion of their own")
    void each(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            CompletableFuture<WorkCompletion> first = passive.pair.receive(passive.memory, 0, 8);
            CompletableFuture<WorkCompletion> second = passive.pair.post(
                    new ReceiveWorkRequest().id(77).add(passive.memory, 8, 4).add(passive.memory, 12, 4));
            active.put(0, "one");
            active.put(8, "second");
            CompletableFuture<WorkCompletion> sent = active.pair.send(active.memory, 0, 3);
            assertThat(passive.done(first).byteLength()).isEqualTo(3);
            active.pair.send(active.memory, 8, 6);
            assertThat(active.done(sent).opcode()).isEqualTo(WorkCompletionOpcode.SEND);
            assertThat(passive.done(second).byteLength()).isEqualTo(6);
            assertThat(first.join().byteLength()).as("its own copy").isEqualTo(3);
            assertThat(first.join().queuePair()).isSameAs(passive.pair.queuePair());
            assertThat(passive.get(0, 3) + passive.get(8, 6)).isEqualTo("onesecond");
        }
    }

    @EachWorld
    @DisplayName("of Reads, Writes and Atomics")
    void memory(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            int key = passive.memory.rkey();
            long address = passive.memory.address();
            active.put(0, "written");
            active.pair.write(active.memory, 0, 7, address + 100, key);
            WorkCompletion read = active.done(active.pair.read(active.memory, 200, 7, address + 100, key));
            assertThat(read.byteLength()).isEqualTo(7);
            assertThat(active.get(200, 7)).isEqualTo("written");
            passive.memory.setAtomic(256, 41);
            active.done(active.pair.post(new SendWorkRequest()
                    .signaled(false)
                    .fetchAndAdd(address + 256, key, 1)
                    .add(active.memory, 512, 8)));
            assertThat(active.memory.getAtomic(512)).isEqualTo(41);
            assertThat(passive.memory.getAtomic(256)).isEqualTo(42);
        }
    }

    @EachWorld
    @DisplayName("of calls get the answers in order, and the service runs in the completion handler")
    void calls(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            passive.serve(0);
            passive.serve(1);
            for (int round = 0; round < 5; round++) {
                active.put(0, "call" + round);
                CompletableFuture<WorkCompletion> answer = active.pair.call(active.memory, 0, 5, active.memory, 64, 64);
                assertThat(active.done(answer).byteLength()).isEqualTo(5);
                assertThat(active.get(64, 5)).isEqualTo("CALL" + round);
            }
            // The callback is added before the message is sent: a callback of a future that is done already runs on
            // this thread.
            Queue<Thread> threads = new ConcurrentLinkedQueue<>();
            CompletableFuture<WorkCompletion> last = active.pair.receive(active.memory, 128, 8);
            CompletableFuture<WorkCompletion> noted =
                    last.whenComplete((came, e) -> threads.add(Thread.currentThread()));
            active.done(passive.pair.send(passive.memory, 0, 8));
            active.done(noted);
            if (kind == World.Kind.THREADED) {
                assertThat(threads)
                        .singleElement()
                        .matches(thread -> thread.getName().startsWith("jwarp-io"));
            }
        }
    }

    @EachWorld
    @DisplayName("complete exceptionally with the failure and the text of its completion")
    void failure(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            CompletableFuture<WorkCompletion> waits = active.pair.receive(active.memory, 0, 8);
            CompletableFuture<WorkCompletion> read =
                    active.pair.read(active.memory, 0, 8, passive.memory.address(), passive.memory.rkey() + 1);
            WorkRequestException refused = active.failed(read);
            assertThat(refused.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(refused).hasMessage(refused.completion().describe());
            assertThat(refused.completion().opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
            assertThat(active.failed(waits).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(active.failed(active.pair.send(active.memory, 0, 1)).status())
                    .as("posted after the end")
                    .isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    private static boolean closed(AsyncQueuePair pair) {
        try {
            pair.queuePair().attributes().sendCompletionQueue().onCompletion((queue, completions, count) -> {});
            return false;
        } catch (RdmaException e) { // otherwise it has a handler
            return e.code() == RdmaErrorCode.CLOSED;
        }
    }

    @EachWorld
    @DisplayName("all complete when the connection ends or is closed; then the completion queue can be closed")
    void close(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            List<CompletableFuture<WorkCompletion>> all = new ArrayList<>();
            for (int i = 0; i < DEPTH; i++) {
                all.add(active.pair.receive(active.memory, 8L * i, 8));
                all.add(passive.pair.receive(passive.memory, 8L * i, 8));
            }
            active.pair.close();
            world.until("all have ended", () -> all.stream().allMatch(CompletableFuture::isDone));
            all.forEach(one -> assertThat(active.failed(one).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR));
            passive.pair.close();
            passive.pair.close();
            for (End end : List.of(active, passive)) {
                world.until("its completion queue is closed", () -> closed(end.pair));
                assertRefused(RdmaErrorCode.CLOSED, () -> end.pair.receive(end.memory, 0, 8));
            }
        }
    }

    @EachWorld
    @DisplayName("complete even after the close; then the completion queue can be closed")
    void later(World.Kind kind) {
        try (World world = World.of(kind)) {
            End unconnected =
                    new End(world, world.connecting(), world.connecting().createId(), DEPTH);
            CompletableFuture<WorkCompletion> waits = unconnected.pair.receive(unconnected.memory, 0, 8);
            unconnected.pair.close();
            if (kind == World.Kind.INLINE) {
                assertThat(waits).as("before a poll").isNotDone();
            }
            assertThat(unconnected.failed(waits).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            world.until("its completion queue is closed", () -> closed(unconnected.pair));
        }
    }

    @EachWorld
    @DisplayName("complete at the latest when the context is closed")
    void context(World.Kind kind) {
        CompletableFuture<WorkCompletion> waits;
        End active;
        try (World world = World.of(kind)) {
            active = connect(world, DEPTH);
            waits = active.pair.receive(active.memory, 0, 8);
        }
        assertThat(waits).isDone();
        assertThat(active.failed(waits).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @EachWorld
    @DisplayName("do not exist for rejected requests: a call posts its receive only if it can send")
    void refused(World.Kind kind) {
        try (World world = World.of(kind)) {
            End early = new End(world, world.connecting(), world.connecting().createId(), 1);
            assertRefused(RdmaErrorCode.WRONG_STATE, () -> early.pair.call(early.memory, 0, 1, early.memory, 8, 8));
            early.pair.receive(early.memory, 0, 8); // so no earlier receive was posted
            assertRefused(RdmaErrorCode.QUEUE_FULL, () -> early.pair.receive(early.memory, 0, 8));

            End active = connect(world, 2);
            End passive = ends.get(0);
            CompletableFuture<WorkCompletion> read =
                    active.pair.read(active.memory, 0, 8, passive.memory.address(), passive.memory.rkey());
            CompletableFuture<WorkCompletion> other =
                    active.pair.read(active.memory, 8, 8, passive.memory.address(), passive.memory.rkey());
            if (kind != World.Kind.THREADED) { // no progress meanwhile
                assertRefused(
                        RdmaErrorCode.QUEUE_FULL, () -> active.pair.call(active.memory, 0, 1, active.memory, 8, 8));
            }
            active.done(read);
            active.done(other);
            CompletableFuture<WorkCompletion> first = active.pair.receive(active.memory, 0, 8);
            active.pair.receive(active.memory, 0, 8); // the rejected call posted none
            assertRefused(RdmaErrorCode.QUEUE_FULL, () -> active.pair.call(active.memory, 0, 1, active.memory, 8, 8));
            passive.pair.send(passive.memory, 0, 1);
            active.done(first);
            assertRefused(
                    RdmaErrorCode.OUT_OF_BOUNDS, () -> active.pair.call(active.memory, 4096, 1, active.memory, 8, 8));
            assertThat(active.pair.queuePair().state()).isEqualTo(QueuePairState.ERR);
        }
    }

    @EachWorld
    @DisplayName("of calls complete only after the message is sent, even if the answer arrives before that")
    void early(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            CompletableFuture<WorkCompletion> first = passive.pair.receive(passive.memory, 0, 8);
            active.pair.send(active.memory, 0, 1); // the connecting side has to send first
            passive.done(first);
            active.pair.queuePair().modify(QueuePairState.SQD);
            world.asyncEvent(world.connecting(), event -> event.type() == AsyncEventType.SQ_DRAINED);
            CompletableFuture<WorkCompletion> call = active.pair.call(active.memory, 0, 5, active.memory, 64, 8);
            passive.done(passive.pair.send(passive.memory, 0, 3));
            world.until("it has come", () -> active.pair.queuePair().query().receivesOutstanding() == 0);
            assertThat(call).as("its message waits").isNotDone();
            CompletableFuture<WorkCompletion> came = passive.pair.receive(passive.memory, 0, 8);
            active.pair.queuePair().modify(QueuePairState.RTS);
            assertThat(active.done(call).byteLength()).isEqualTo(3);
            assertThat(passive.done(came).byteLength()).isEqualTo(5);
        }
    }

    private static int post(
            int wanted, Supplier<CompletableFuture<WorkCompletion>> one, List<CompletableFuture<?>> all) {
        int posted = 0;
        try {
            for (; posted < wanted; posted++) {
                all.add(one.get());
            }
        } catch (RdmaException e) {
            assertThat(e.code()).isEqualTo(RdmaErrorCode.QUEUE_FULL);
        }
        return posted;
    }

    @EachWorld
    @DisplayName("all complete, however many there are: a request without a free entry for its completion is rejected")
    void many(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, 2);
            End passive = ends.get(0);
            List<CompletableFuture<?>> all = new ArrayList<>();
            long address = passive.memory.address();
            int key = passive.memory.rkey();
            for (int posted = 0; posted < 500; ) {
                posted += post(500 - posted, () -> active.pair.write(active.memory, 0, 8, address, key), all);
                if (kind != World.Kind.THREADED) { // threaded progress needs no poll
                    world.until("one has ended", () -> all.get(all.size() - 1).isDone());
                }
            }
            assertThat(active.pair.queuePair().state()).isEqualTo(QueuePairState.RTS);
            active.pair.queuePair().modify(QueuePairState.ERR);
            world.until("all have ended", () -> all.stream().allMatch(CompletableFuture::isDone));
            for (int posted = 0; posted < 10; ) {
                posted += post(1, () -> active.pair.send(active.memory, 0, 1), all);
                posted += post(1, () -> active.pair.receive(active.memory, 0, 8), all);
                world.until("these too", () -> all.stream().allMatch(CompletableFuture::isDone));
            }
            if (kind == World.Kind.INLINE) { // no delivery before a poll
                assertThat(post(9, () -> active.pair.send(active.memory, 0, 1), all))
                        .isEqualTo(2);
                assertThat(post(9, () -> active.pair.receive(active.memory, 0, 8), all))
                        .isEqualTo(2);
                world.until("and those", () -> all.stream().allMatch(CompletableFuture::isDone));
            }
        }
    }

    @EachWorld
    @DisplayName("that a program cancels do not affect their requests")
    void cancelled(World.Kind kind) {
        try (World world = World.of(kind)) {
            End active = connect(world, DEPTH);
            End passive = ends.get(0);
            CompletableFuture<WorkCompletion> first = passive.pair.receive(passive.memory, 0, 8);
            CompletableFuture<WorkCompletion> second = passive.pair.receive(passive.memory, 8, 8);
            assertThat(first.cancel(true)).isTrue();
            active.pair.send(active.memory, 0, 1);
            active.pair.send(active.memory, 0, 2);
            assertThat(passive.done(second).byteLength()).isEqualTo(2);
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    @DisplayName("can be awaited by many virtual threads at a time without pinning")
    void virtualThreads() throws Exception {
        int threads = 100; // far more than carrier threads
        try (World world = World.of(World.Kind.THREADED, Map.of())) {
            End active = connect(world, threads);
            End passive = ends.get(0);
            AtomicInteger came = new AtomicInteger();
            for (int i = 0; i < threads; i++) {
                passive.pair.receive(passive.memory, 0, 8).thenRun(() -> {
                    if (came.incrementAndGet() == threads) { // no answer before all calls have arrived
                        for (int k = 0; k < threads; k++) {
                            passive.pair.send(passive.memory, 0, 8);
                        }
                    }
                });
            }
            ExecutorService virtual = (ExecutorService) Objects.requireNonNull(
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int own = 8 * i;
                all.add(virtual.submit(() -> active.pair
                        .call(active.memory, own, 8, active.memory, own, 8)
                        .get()
                        .byteLength()));
            }
            for (Future<Integer> one : all) {
                assertThat(one.get(Side.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(8);
            }
            virtual.shutdown();
        }
    }
}
