package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The complete data path, from the post through loopback sockets to the completion at both ends, on one thread, and for
 * datagrams also on event loops.
 */
@DisplayName("In steady state the verbs allocate nothing")
class VerbsAllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final int WARM_UP = Whole.or(800, 5_000);
    private static final int OPERATIONS = Whole.or(400, 1_000);
    private static final int ROUNDS = 6;
    /** Smallest size of an object. */
    private static final int SMALLEST_OBJECT = 16;

    /** So large that they are sent without a copy. */
    private static final int PIECE = 6_008;

    private static final int PIECES = 70;
    private static final Duration LONG = Duration.ofSeconds(Patience.SECONDS);

    private enum Operation {
        SEND(64),
        LONG_SEND(20_000),
        WRITE(64),
        LONG_WRITE(20_000),
        WHOLE_WRITE(65_536),
        READ(64),
        FETCH_AND_ADD(8);

        final int length;

        Operation(int length) {
            this.length = length;
        }

        boolean received() {
            return this == SEND || this == LONG_SEND;
        }

        boolean writes() {
            return this == WRITE || this == LONG_WRITE || this == WHOLE_WRITE;
        }

        /** {@return whether the other end gets a completion over datagrams} */
        boolean heard() {
            return received() || writes();
        }

        /** {@return a request over a connection} */
        SendWorkRequest request(MemoryRegion memory, MemoryRegion target) {
            SendWorkRequest request = new SendWorkRequest().id(7).add(memory, 0, length);
            if (writes()) {
                request.rdmaWrite(target.address(), target.rkey());
            } else if (this == READ) {
                request.rdmaRead(target.address(), target.rkey());
            } else if (this == FETCH_AND_ADD) {
                request.fetchAndAdd(target.address(), target.rkey(), 1);
            }
            return request;
        }

        /** {@return a request over datagrams} */
        SendWorkRequest request(DatagramSide from, DatagramSide to) {
            SendWorkRequest request =
                    new SendWorkRequest().id(7).destination(from.to(to)).add(from.memory, 0, length);
            if (writes()) {
                request.writeRecord(to.address(0), to.memory.rkey());
            } else if (this == READ) {
                request.rdmaRead(to.address(0), to.memory.rkey());
            }
            return request;
        }
    }

    /** Takes and counts completions, without any other work. */
    private static final class Drain {
        private final WorkCompletion[] batch = WorkCompletion.array(8);
        private final CompletionQueue completions;

        Drain(CompletionQueue completions) {
            this.completions = completions;
        }

        int take() {
            int count = completions.poll(batch);
            for (int i = 0; i < count; i++) {
                if (!batch[i].succeeded() || batch[i].queuePair() == null) {
                    throw new AssertionError(batch[i].describe());
                }
                batch[i].release();
            }
            return count;
        }
    }

    /** {@return the threads that drive the ports of threaded contexts} */
    private static Set<Thread> loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("jwarp-io"))
                .collect(Collectors.toSet());
    }

    /**
     * {@return a counter of the bytes that this thread and the threads of threaded contexts' ports allocate}
     *
     * @param others threads of earlier tests, which may be ending
     */
    private static LongSupplier allocatedByLoopsToo(Set<Thread> others) {
        long[] loops = loops().stream()
                .filter(thread -> !others.contains(thread))
                .mapToLong(Thread::getId)
                .toArray();
        assertThat(loops).isNotEmpty();
        return () -> {
            long sum = THREADS.getCurrentThreadAllocatedBytes();
            for (long loop : loops) {
                sum += THREADS.getThreadAllocatedBytes(loop);
            }
            return sum;
        };
    }

    /**
     * {@return the bytes allocated by an operation: the minimum of some rounds, because the JIT compiler sometimes
     * allocates on this thread}
     */
    private static long perOperation(Runnable operation) {
        return perOperation(operation, THREADS::getCurrentThreadAllocatedBytes);
    }

    private static long perOperation(Runnable operation, LongSupplier allocated) {
        for (int i = 0; i < WARM_UP; i++) {
            operation.run();
        }
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least >= OPERATIONS; round++) {
            long before = allocated.getAsLong();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run();
            }
            least = Math.min(least, allocated.getAsLong() - before);
        }
        return least / OPERATIONS;
    }

    /** Posts one operation, and waits for all completions at both ends. */
    private static void carryOut(
            Context context, QueuePair from, SendWorkRequest request, Drain ours, Drain theirs, boolean atTheOtherEnd) {
        from.postSend(request);
        int wanted = atTheOtherEnd ? 2 : 1;
        while (wanted > 0) {
            context.poll();
            wanted -= ours.take() + theirs.take();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("over connections")
    void connections(Operation operation) {
        connections(operation, memory -> memory);
    }

    @Test
    @DisplayName("over connections, with waits on a completion channel")
    void waits() {
        try (World world = World.of(World.Kind.INLINE)) {
            Context context = world.connecting();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue completions = context.createCompletionQueue(256, channel);
            Connected pair = Connected.reporting(world, completions, completions);
            SendWorkRequest request = Operation.SEND.request(pair.active.memory, pair.passive.memory);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(pair.passive.memory, 0, 64);
            Drain drain = new Drain(completions);
            assertThat(perOperation(() -> {
                        pair.passive.queuePair.postReceive(receive);
                        completions.requestNotification(false);
                        pair.active.queuePair.postSend(request);
                        if (channel.await(LONG) == null) {
                            throw new AssertionError("no completion came");
                        }
                        for (int wanted = 2; wanted > 0; ) {
                            wanted -= drain.take();
                        }
                    }))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("over connections, where a region has several buffers")
    void severalBuffers(Operation operation) {
        connections(operation, memory -> {
            List<ByteBuffer> parts = new ArrayList<>();
            for (int at = 0; at < PIECES * PIECE; at += PIECE) {
                parts.add(memory.buffer().slice(at, PIECE));
            }
            return memory.protectionDomain().register(parts, memory.access());
        });
    }

    private static void connections(Operation operation, UnaryOperator<MemoryRegion> shape) {
        try (World world = World.of(World.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            Connected pair = Connected.in(world);
            QueuePair passive = pair.passive.queuePair;
            MemoryRegion memory = shape.apply(pair.active.memory);
            MemoryRegion target = shape.apply(pair.passive.memory);
            SendWorkRequest request = operation.request(memory, target);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(target, 0, operation.length);
            Drain ours = new Drain(pair.active.completions);
            Drain theirs = new Drain(pair.passive.completions);
            assertThat(perOperation(() -> {
                        if (operation.received()) {
                            passive.postReceive(receive);
                        }
                        carryOut(
                                world.connecting(), pair.active.queuePair, request, ours, theirs, operation.received());
                    }))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FETCH_AND_ADD"})
    @DisplayName("over datagrams")
    void datagrams(Operation operation) {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            assertThat(perOperation(datagramOperation(world, operation))).isZero();
        }
    }

    /** {@return a task that posts one operation, and waits for all completions at both ends} */
    private static Runnable datagramOperation(DatagramWorld world, Operation operation) {
        DatagramSide active = DatagramSide.on(world, 0);
        DatagramSide passive = DatagramSide.on(world, 1);
        SendWorkRequest request = operation.request(active, passive);
        ReceiveWorkRequest receive = new ReceiveWorkRequest().add(passive.memory, 0, operation.length);
        Drain ours = new Drain(active.completions);
        Drain theirs = new Drain(passive.completions);
        return () -> {
            if (operation.received()) {
                passive.queuePair.postReceive(receive);
            }
            carryOut(active.context, active.queuePair, request, ours, theirs, operation.heard());
        };
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FETCH_AND_ADD"})
    @DisplayName("over datagrams on an event loop, including its thread")
    void threadedDatagrams(Operation operation) {
        Set<Thread> others = loops();
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.THREADED)) {
            Runnable carriedOut = datagramOperation(world, operation);
            assertThat(perOperation(carriedOut, allocatedByLoopsToo(others))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND", "LONG_SEND"})
    @DisplayName("over datagrams to a queue pair with a shared receive queue")
    void sharedReceives(Operation operation) {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            DatagramSide active = DatagramSide.on(world, 0);
            DatagramSide passive = DatagramSide.on(world, 1);
            SharedReceiveQueue receives = passive.domain.createSharedReceiveQueue(4, 1);
            DatagramQueuePair sharing = passive.domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(passive.completions)
                            .sharedReceiveQueue(receives)
                            .build(),
                    DatagramAttributes.builder(world.address(1, 0))
                            .timeouts(DatagramSide.PATIENT)
                            .build());
            AddressHandle handle =
                    active.queuePair.createAddressHandle(sharing.localAddress(), sharing.number(), sharing.key());
            SendWorkRequest request =
                    new SendWorkRequest().id(7).destination(handle).add(active.memory, 0, operation.length);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(passive.memory, 0, operation.length);
            Drain ours = new Drain(active.completions);
            Drain theirs = new Drain(passive.completions);
            assertThat(perOperation(() -> {
                        receives.postReceive(receive);
                        carryOut(active.context, active.queuePair, request, ours, theirs, true);
                    }))
                    .isZero();
        }
    }

    /** A handler that counts completions, without any other work. */
    private static final class Counting {
        private final CompletionQueue queue;
        private @Nullable String failed;
        private int left;

        Counting(Context context) {
            queue = context.createCompletionQueue(4096);
            queue.onCompletion((from, completions, count) -> {
                for (int i = 0; i < count; i++) {
                    if (!completions[i].succeeded() || completions[i].queuePair() == null) {
                        failed = completions[i].describe();
                    }
                }
                left -= count;
            });
        }

        void expect(int count) {
            left += count;
        }

        /** {@return whether all expected completions have arrived} */
        boolean done() {
            if (failed != null) {
                throw new AssertionError(failed);
            }
            return left <= 0;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("over connections, to handlers")
    void connectionsToHandlers(Operation operation) {
        try (World world = World.of(World.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            Context context = world.connecting();
            Counting ours = new Counting(context);
            Counting theirs = new Counting(context);
            Connected pair = Connected.reporting(world, ours.queue, theirs.queue);
            MemoryRegion target = pair.passive.memory;
            SendWorkRequest request = operation.request(pair.active.memory, target);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(target, 0, operation.length);
            assertThat(perOperation(() -> {
                        if (operation.received()) {
                            theirs.expect(1);
                            pair.passive.queuePair.postReceive(receive);
                        }
                        ours.expect(1);
                        pair.active.queuePair.postSend(request);
                        while (!(ours.done() && theirs.done())) {
                            context.poll();
                        }
                    }))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FETCH_AND_ADD"})
    @DisplayName("over datagrams, to handlers")
    void datagramsToHandlers(Operation operation) {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.progress.wait", "spin"))) {
            Context context = world.context(0);
            Counting ours = new Counting(context);
            Counting theirs = new Counting(context);
            DatagramSide active = DatagramSide.reporting(world, 0, ours.queue);
            DatagramSide passive = DatagramSide.reporting(world, 1, theirs.queue);
            SendWorkRequest request = operation.request(active, passive);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(passive.memory, 0, operation.length);
            assertThat(perOperation(() -> {
                        if (operation.received()) {
                            passive.queuePair.postReceive(receive);
                        }
                        theirs.expect(operation.heard() ? 1 : 0);
                        ours.expect(1);
                        active.queuePair.postSend(request);
                        while (!(ours.done() && theirs.done())) {
                            context.poll();
                        }
                    }))
                    .isZero();
        }
    }

    /**
     * Answers each message in its handler on an event loop, and records the allocation of its thread between two
     * messages.
     */
    private static final class Pong {
        private final CompletionQueue queue;
        private final boolean first;
        private final boolean boxing;
        private int rounds;
        private long before;
        private long least = Long.MAX_VALUE;
        private final CountDownLatch done = new CountDownLatch(1);
        private @Nullable Endpoint own;
        private @Nullable SendWorkRequest send;
        private @Nullable ReceiveWorkRequest receive;
        private final Object[] kept = new Object[1];

        Pong(Context context, boolean first, boolean boxing) {
            this.first = first;
            this.boxing = boxing;
            queue = context.createCompletionQueue(256);
            queue.onCompletion((from, completions, count) -> {
                for (int i = 0; i < count; i++) {
                    if (completions[i].succeeded() && completions[i].opcode() == WorkCompletionOpcode.RECV) {
                        received();
                    }
                }
            });
        }

        void at(Endpoint end) {
            own = end;
            send = new SendWorkRequest().add(end.memory, 0, 64);
            receive = new ReceiveWorkRequest().add(end.memory, 64, 64);
            end.queuePair.postReceive(receive);
        }

        private void received() {
            rounds++;
            if (boxing) {
                kept[0] = Long.valueOf(1_000_000 + rounds);
            }
            if (rounds >= WARM_UP && (rounds - WARM_UP) % OPERATIONS == 0) {
                long now = THREADS.getCurrentThreadAllocatedBytes();
                least = rounds == WARM_UP ? least : Math.min(least, now - before);
                before = now;
                if (rounds == WARM_UP + ROUNDS * OPERATIONS) {
                    done.countDown();
                    if (first) {
                        return;
                    }
                }
            }
            QueuePair pair = Objects.requireNonNull(own).queuePair;
            pair.postReceive(Objects.requireNonNull(receive));
            pair.postSend(Objects.requireNonNull(send));
        }
    }

    private static long perMessageOnLoops(boolean boxing) throws InterruptedException {
        try (World world = World.of(World.Kind.THREADED, Map.of("jwarp.tcp.event-loops", "1"))) {
            Pong ping = new Pong(world.connecting(), true, boxing);
            Pong pong = new Pong(world.listening(), false, boxing);
            Connected pair = Connected.reporting(world, ping.queue, pong.queue);
            ping.at(pair.active);
            pong.at(pair.passive);
            pair.active.send(1, 0, 64);
            assertThat(ping.done.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(pong.done.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            return Math.max(ping.least, pong.least) / OPERATIONS;
        }
    }

    @Test
    @DisplayName("including the event loops, between handlers")
    void eventLoops() throws Exception {
        assertThat(perMessageOnLoops(false)).isZero();
        assertThat(perMessageOnLoops(true)).isGreaterThanOrEqualTo(SMALLEST_OBJECT);
    }

    @Test
    @DisplayName("and a single boxed number per operation would be detected")
    void sensitive() {
        long[] count = new long[1];
        Object[] kept = new Object[1];
        assertThat(perOperation(() -> kept[0] = Long.valueOf(1_000_000 + count[0]++)))
                .isGreaterThanOrEqualTo(SMALLEST_OBJECT);
    }
}
