package dev.jwarp.tools.conform;

import dev.jwarp.tools.conform.Order.Status;
import dev.jwarp.tools.link.Rollback;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/** One connection of the target: receives commands, executes them, and answers. One thread. */
final class TargetConversation implements AutoCloseable {
    static final int RECEIVE_SIZE = 8192;

    private static final int RECEIVES = 8;
    private static final int ANSWERS = 16;
    /** Id of work requests for commands. Receives have ids from 0 on: the number of their slot. */
    private static final long WORK = -1;
    /** Id of the answer in slot 0; further slots have lower ids. */
    private static final long ANSWER = -2;

    private static final int SENDS = 512;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final long LAST_COMPLETIONS_NANOS = 2_000_000_000L;
    /** All abilities of docs/conformance/target.md. */
    private static final int FEATURES = 0xFFFF;

    private final ConformTarget target;
    private final CmId id;
    private final CmEventChannel events;
    private final TargetMemory memory;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion commands;
    private final MemoryRegion answers;
    private final boolean[] answering = new boolean[ANSWERS];
    private int nextAnswer;
    private final Queue<Order> orders = new ArrayDeque<>();
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private int keep = RECEIVES;
    private int receivesPosted;
    private int delivered;
    private int good;
    private int failed;
    private int flushed;
    private int outstanding;
    private boolean over;
    private boolean clean;

    /** Made for an id that is not accepted or connected yet, with {@code events} as its channel. */
    TargetConversation(ConformTarget target, CmId id, CmEventChannel events) {
        this.target = target;
        this.id = id;
        this.events = events;
        try (Rollback taken = new Rollback()) {
            memory = new TargetMemory(id.context());
            taken.add(memory::close);
            completions = id.context().createCompletionQueue(SENDS + RECEIVES);
            taken.add(completions::close);
            queuePair = id.createQueuePair(
                    memory.domain(),
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(SENDS)
                            .maxReceiveWorkRequests(RECEIVES)
                            .maxSendElements(1)
                            .maxReceiveElements(1)
                            .build());
            taken.add(queuePair::close);
            commands = memory.allocate(RECEIVE_SIZE * RECEIVES, AccessFlag.LOCAL_WRITE);
            answers = memory.allocate(RECEIVE_SIZE * ANSWERS);
            for (int i = 0; i < RECEIVES; i++) {
                postReceive(i);
            }
            taken.keep();
        }
    }

    /** Executes commands until the connection ends. */
    void run() throws InterruptedException {
        while (!over) {
            Order order = orders.poll();
            if (order == null) {
                next();
            } else {
                carryOut(order);
            }
        }
        drain();
    }

    /** The answer to a HELLO, without a HELLO. */
    void greet() {
        hello(new Order(Order.HELLO, 0, 0, 0, 0, 0, new byte[0]));
    }

    private void carryOut(Order order) throws InterruptedException {
        if (!order.withinReason()) {
            post(order.answer(Status.UNABLE, 0, 0));
            return;
        }
        switch (order.number()) {
            case Order.HELLO -> hello(order);
            case Order.ECHO -> answer(order, 0, order.data());
            case Order.SENDS -> sends(order);
            case Order.WRITES -> writes(order);
            case Order.READS -> reads(order);
            case Order.PEEK -> peek(order);
            case Order.RECEIVES -> {
                keep = order.a();
                // Posted receives cannot be withdrawn: the tester consumes them with its next messages.
                answer(order, receivesPosted);
            }
            case Order.DEREGISTER -> {
                if (memory.deregister(order.a())) {
                    answer(order, 0);
                } else {
                    post(order.answer(Status.UNABLE, 0, 0));
                }
            }
            case Order.REVOCABLE ->
                answer(
                        order,
                        0,
                        TargetMemory.described(memory.allocate(
                                TargetMemory.REVOCABLE,
                                AccessFlag.LOCAL_WRITE,
                                AccessFlag.REMOTE_READ,
                                AccessFlag.REMOTE_WRITE)));
            case Order.CLOSE -> {
                sends(new Order(Order.SENDS, 0, 64, order.a(), 0, 0, new byte[0]));
                id.disconnect();
            }
            case Order.END -> end(order);
            case Order.CONFIGURE -> answer(order, target.configure(order));
            case Order.ATOMIC -> atomic(order);
            default -> post(order.answer(Status.UNABLE, 0, 0));
        }
    }

    private void hello(Order order) {
        byte[] regions = memory.described();
        answer(
                order,
                0,
                ByteBuffer.allocate(8 + regions.length)
                        .putInt(FEATURES)
                        .putInt(RECEIVE_SIZE)
                        .put(regions)
                        .array());
    }

    private void sends(Order order) {
        int length = order.a();
        MemoryRegion work = patterns(length, order.b());
        for (int i = 0; i < order.b(); i++) {
            SendWorkRequest request = new SendWorkRequest().id(WORK);
            switch ((int) order.c()) {
                case 0, 1 -> request.send().solicited(order.c() == 1);
                case 2, 3 -> request.sendWithInvalidate((int) order.d()).solicited(order.c() == 3);
                default ->
                    request.immediateData(work.buffer().getLong(i * length)).solicited(order.c() == 5);
            }
            if (order.c() <= 3 && length > 0) {
                request.add(work, (long) i * length, length);
            }
            post(request);
        }
    }

    private void writes(Order order) {
        MemoryRegion work = patterns(order.a(), order.b());
        for (int i = 0; i < order.b(); i++) {
            SendWorkRequest request =
                    new SendWorkRequest().id(WORK).rdmaWrite(order.c() + (long) i * order.a(), (int) order.d());
            if (order.a() > 0) {
                request.add(work, (long) i * order.a(), order.a());
            }
            post(request);
        }
        answer(order, 0);
    }

    private void reads(Order order) {
        int length = order.a();
        MemoryRegion work = memory.allocate(Math.max(1, length * order.b()), AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < order.b(); i++) {
            SendWorkRequest request =
                    new SendWorkRequest().id(WORK).rdmaRead(order.c() + (long) i * length, (int) order.d());
            if (length > 0) {
                request.add(work, (long) i * length, length);
            }
            post(request);
        }
        if (!awaitAll()) {
            return;
        }
        byte[] last = new byte[Math.min(length, Order.MOST_SHOWN)];
        work.buffer().get(length * (order.b() - 1), last);
        answer(order, 0, last);
    }

    private void atomic(Order order) {
        ByteBuffer operands = ByteBuffer.wrap(Arrays.copyOf(order.data(), 32));
        MemoryRegion result = memory.allocate(8, AccessFlag.LOCAL_WRITE);
        long value = operands.getLong();
        long mask = operands.getLong();
        long compare = operands.getLong();
        long compareMask = operands.getLong();
        for (int i = 0; i < Math.max(1, order.b()); i++) {
            SendWorkRequest request = new SendWorkRequest().id(WORK);
            if (order.a() == 0) {
                request.fetchAndAdd(order.c(), (int) order.d(), value, mask);
            } else {
                request.compareAndSwap(order.c(), (int) order.d(), compare, compareMask, value, mask);
            }
            post(request.add(result));
        }
        if (awaitAll()) {
            answer(order, result.getAtomic(0));
        }
    }

    private void peek(Order order) throws InterruptedException {
        int length = Math.min(order.a(), Order.MOST_SHOWN);
        if (order.d() == 0) {
            answer(order, 0, memory.peek(order.c(), length));
            return;
        }
        Endings.Ending ending = target.endings().await((int) order.d(), 5_000);
        if (ending == null) {
            post(order.answer(Status.FAILED, 0, 0));
        } else {
            int from = (int) order.c();
            answer(order, 0, Arrays.copyOfRange(ending.memory(), from, from + length));
        }
    }

    private void end(Order order) throws InterruptedException {
        Endings.Ending ending = target.endings().await((int) order.d(), 5_000);
        if (ending == null) {
            post(order.answer(Status.FAILED, 0, 0));
        } else {
            answer(order, 0, ending.octets());
        }
    }

    /** {@return memory with the patterns of so many messages} */
    private MemoryRegion patterns(int length, int count) {
        MemoryRegion work = memory.allocate(Math.max(8, length * count + 8));
        for (int i = 0; i < count; i++) {
            TargetMemory.fill(work, i * length, length, i);
        }
        return work;
    }

    private void answer(Order order, long value, byte... data) {
        post(order.answer(Status.DONE, 0, value, data));
    }

    private void post(byte[] message) {
        int slot = nextAnswer++ % ANSWERS;
        while (!over && answering[slot]) {
            next();
        }
        answering[slot] = true;
        answers.buffer().put(slot * RECEIVE_SIZE, message);
        post(new SendWorkRequest().id(ANSWER - slot).send().add(answers, (long) slot * RECEIVE_SIZE, message.length));
    }

    private void post(SendWorkRequest request) {
        while (!over && !queuePair.tryPostSend(request)) {
            next();
        }
        outstanding++;
    }

    private void postReceive(int slot) {
        queuePair.postReceive(
                new ReceiveWorkRequest().id(slot).add(commands, (long) slot * RECEIVE_SIZE, RECEIVE_SIZE));
        receivesPosted++;
        outstanding++;
    }

    /** {@return false if the connection ended instead} Waits for the completion of all posted sends. */
    private boolean awaitAll() {
        while (!over && outstanding > receivesPosted) {
            next();
        }
        return !over;
    }

    /** Waits a moment for the next completion and counts it; notes the end of the connection. */
    private void next() {
        if (completions.await(one, LOOK) == 0) {
            CmEvent event = events.await(Duration.ZERO);
            if (event != null
                    && (event.type() == CmEventType.DISCONNECTED || event.type() == CmEventType.CONNECT_ERROR)) {
                over = true;
                clean = event.error() == null && failed == 0;
            }
            return;
        }
        count(one[0]);
    }

    private void count(WorkCompletion completion) {
        outstanding--;
        boolean receive = completion.id() >= 0;
        if (completion.id() <= ANSWER) {
            answering[(int) (ANSWER - completion.id())] = false;
        }
        if (receive) {
            receivesPosted--;
        }
        if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            flushed++;
        } else if (completion.succeeded()) {
            good++;
            if (receive) {
                delivered++;
                take((int) completion.id(), completion.byteLength());
            }
        } else {
            failed++;
        }
    }

    /** Queues a received order, because another order may be executing. */
    private void take(int slot, int length) {
        orders.add(Order.parse(commands.buffer().slice(slot * RECEIVE_SIZE, length)));
        if (receivesPosted < keep) {
            postReceive(slot);
        }
    }

    private void drain() {
        long deadline = System.nanoTime() + LAST_COMPLETIONS_NANOS;
        while (outstanding > 0 && System.nanoTime() < deadline) {
            if (completions.await(one, LOOK) > 0) {
                count(one[0]);
            }
        }
    }

    /** {@return the end of the conversation} */
    Endings.Ending ending() {
        return new Endings.Ending(
                delivered, good, failed, flushed, outstanding, clean, memory.peek(0, TargetMemory.KEPT));
    }

    @Override
    public void close() {
        id.close();
        queuePair.close();
        completions.close();
        memory.close();
        events.close();
    }
}
