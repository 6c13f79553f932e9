package dev.jwarp.torture.model;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One side: its memory and the model's copy of it; the posted requests and the expected completions. Threads: one.
 */
final class Modelled {
    static final int DATA = 2048;
    static final int COUNTERS = 8;
    static final int RECEIVES = 12;
    static final int RECEIVE_SIZE = 512;
    private static final int SINK = 1 << 16;
    private static final int DEPTH = 16;

    /** A request, and its expected completion. */
    record Expected(
            long id,
            WorkCompletionOpcode opcode,
            boolean signaled,
            int length,
            @Nullable Brought brought,
            String words) {}

    /**
     * The possible results of a Read or an Atomic: the value before, or a value of a later request that does not wait
     * for it.
     */
    static final class Brought {
        private final MemoryRegion sink;
        private final int at;
        private final int from;
        private final byte[] before;
        private final List<byte[]> later = new ArrayList<>();
        private boolean open = true;

        Brought(MemoryRegion sink, int at, int from, byte[] before) {
            this.sink = sink;
            this.at = at;
            this.from = from;
            this.before = before;
        }
    }

    /** A message for which the peer must complete a receive. */
    record Message(byte @Nullable [] data, long immediate, int invalidated) {}

    final String name;
    final Context context;
    final ProtectionDomain domain;
    final MemoryRegion outbox;
    final MemoryRegion data;
    final MemoryRegion counters;
    final MemoryRegion inbox;
    final MemoryRegion sink;
    final MemoryRegion readOnly;
    final MemoryWindow window;
    final byte[] dataModel = new byte[DATA];
    final long[] counterModel = new long[COUNTERS];
    final ArrayDeque<Expected> sends = new ArrayDeque<>();
    final ArrayDeque<Message> messages = new ArrayDeque<>();
    final ArrayDeque<Long> receives = new ArrayDeque<>();
    final List<Brought> brought = new ArrayList<>();
    final List<WorkCompletion> failures = new ArrayList<>();

    /**
     * A send ended in error: no later one succeeds. Receives have a queue of their own, whose order relative to sends
     * is not specified.
     */
    private boolean sendFailed;

    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final @Nullable SharedReceiveQueue shared;
    private final Map<MemoryRegion, ByteBuffer> wholes = new HashMap<>();
    private final byte[] inboxModel = new byte[RECEIVES * RECEIVE_SIZE];
    private final WorkCompletion[] some = WorkCompletion.array(8);
    private @Nullable QueuePair queuePair;
    private long ids;
    /** The ids of receives, distinct from those of sends. */
    private long receivesPosted = 1L << Integer.SIZE;

    private int sinkUsed;
    private boolean inboxOpen;

    Modelled(String name, Context context, SplittableRandom random, boolean sharedReceives) {
        this.name = name;
        this.context = context;
        domain = context.allocateProtectionDomain();
        outbox = cut(random, DATA);
        data = cut(
                random,
                DATA,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.MW_BIND);
        counters = domain.allocate(
                COUNTERS * Long.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.REMOTE_READ);
        inbox = cut(random, RECEIVES * RECEIVE_SIZE, AccessFlag.LOCAL_WRITE);
        sink = cut(random, SINK, AccessFlag.LOCAL_WRITE);
        readOnly = domain.allocate(64, AccessFlag.REMOTE_READ);
        window = domain.allocateWindow();
        sendCompletions = context.createCompletionQueue(256);
        receiveCompletions = context.createCompletionQueue(256);
        shared = sharedReceives ? domain.createSharedReceiveQueue(RECEIVES, 3) : null;
        for (int i = 0; i < DATA; i++) {
            bytes(outbox).put(i, (byte) random.nextInt());
        }
    }

    /** Registers a region of one buffer or of several adjacent ones, which are compared as one. */
    private MemoryRegion cut(SplittableRandom random, int length, AccessFlag... access) {
        ByteBuffer whole = ByteBuffer.allocateDirect(length);
        List<ByteBuffer> parts = new ArrayList<>();
        int longest = random.nextBoolean() ? length : random.nextInt(1, 5_000);
        for (int at = 0; at < length; at += longest) {
            parts.add(whole.slice(at, Math.min(longest, length - at)));
        }
        MemoryRegion region = domain.register(parts, access);
        wholes.put(region, whole);
        return region;
    }

    /** {@return the bytes of a region, of one buffer or several} */
    ByteBuffer bytes(MemoryRegion region) {
        ByteBuffer whole = wholes.get(region);
        return whole == null ? region.buffer() : whole;
    }

    void prepare(CmId id) {
        QueuePairAttributes.Builder wishes = QueuePairAttributes.builder(sendCompletions, receiveCompletions)
                .maxSendWorkRequests(DEPTH)
                .maxReceiveWorkRequests(RECEIVES)
                .maxInlineData(128);
        if (shared != null) {
            wishes.sharedReceiveQueue(shared);
        }
        queuePair = id.createQueuePair(domain, wishes.build());
    }

    QueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    long nextId() {
        return ++ids;
    }

    /** {@return the offset for the next bytes of Reads and Atomics} */
    int sinkPlace(int length) {
        int place = sinkUsed;
        sinkUsed += (length + 7) & ~7;
        return place;
    }

    boolean sinkLeft() {
        return sinkUsed < SINK - 1024;
    }

    /** Posts missing receives, each with two elements. */
    void postReceives(SplittableRandom random) {
        while (receives.size() < RECEIVES) {
            long id = receivesPosted++;
            post(id, (int) (id % RECEIVES) * RECEIVE_SIZE, random);
        }
    }

    private void post(long id, int at, SplittableRandom random) {
        int first = random.nextInt(RECEIVE_SIZE + 1);
        ReceiveWorkRequest request = new ReceiveWorkRequest().id(id);
        request.add(inbox, at, first).add(inbox, at + first, RECEIVE_SIZE - first);
        if (shared != null) {
            shared.postReceive(request);
        } else {
            queuePair().postReceive(request);
        }
        receives.add(id);
    }

    /** Polls completions and compares each with the expected one. */
    void take() {
        for (int taken = sendCompletions.poll(some); taken > 0; taken = sendCompletions.poll(some)) {
            for (int i = 0; i < taken; i++) {
                sent(some[i]);
            }
        }
        for (int taken = receiveCompletions.poll(some); taken > 0; taken = receiveCompletions.poll(some)) {
            for (int i = 0; i < taken; i++) {
                received(some[i]);
            }
        }
    }

    private void sent(WorkCompletion completion) {
        Expected next = sends.poll();
        while (next != null && next.id != completion.id() && !next.signaled) {
            next = sends.poll();
        }
        if (next == null || next.id != completion.id()) {
            throw new AssertionError(name + ": " + completion + " in place of " + next);
        }
        if (!completion.succeeded()) {
            failures.add(copy(completion));
            sendFailed = true;
            return;
        }
        int moved = next.brought == null ? 0 : next.length;
        if (!next.signaled || sendFailed || completion.opcode() != next.opcode || completion.byteLength() != moved) {
            throw new AssertionError(name + ": " + completion + " for " + next + " after failures " + failures);
        }
    }

    private static WorkCompletion copy(WorkCompletion from) {
        WorkCompletion to = new WorkCompletion();
        to.fill(from.id(), from.status(), from.opcode(), from.byteLength(), from.queuePairNumber(), from.diagnosis());
        return to;
    }

    /** The oldest receive completes with the oldest message. */
    private void received(WorkCompletion completion) {
        Long id = receives.poll();
        if (id == null || id != completion.id()) {
            throw new AssertionError(name + ": " + completion + ", but receive " + id + " is the oldest");
        }
        if (!completion.succeeded()) {
            failures.add(copy(completion));
            return;
        }
        Message message = messages.poll();
        if (message == null) {
            throw new AssertionError(name + ": " + completion + ", but nothing was sent");
        }
        boolean plain = message.data != null;
        int length = message.data == null ? Long.BYTES : message.data.length;
        if (completion.opcode() != (plain ? WorkCompletionOpcode.RECV : WorkCompletionOpcode.RECV_RDMA_WITH_IMM)
                || completion.byteLength() != length
                || completion.hasImmediateData() == plain
                || (!plain && completion.immediateData() != message.immediate)
                || completion.hasInvalidatedKey() != (message.invalidated != 0)
                || (message.invalidated != 0 && completion.invalidatedKey() != message.invalidated)) {
            throw new AssertionError(name + ": " + completion.describe() + " for " + message);
        }
        int at = (int) (id % RECEIVES) * RECEIVE_SIZE;
        if (message.data != null) {
            System.arraycopy(message.data, 0, inboxModel, at, length);
            compare("inbox, receive " + id, bytes(inbox), at, inboxModel, at, length);
        } else {
            // The place of Immediate Data in a receive is not checked: the completion has the data.
            bytes(inbox).get(at, inboxModel, at, Long.BYTES);
        }
    }

    /** All requests are done: compares memory with the model. */
    void compareMemory() {
        compare("data", bytes(data), 0, dataModel, 0, DATA);
        if (!inboxOpen) {
            compare("inbox", bytes(inbox), 0, inboxModel, 0, inboxModel.length);
        }
        for (int i = 0; i < COUNTERS; i++) {
            long word = counters.getAtomic((long) i * Long.BYTES);
            if (word != counterModel[i]) {
                throw new AssertionError(name + ": counter " + i + " is " + word + ", not " + counterModel[i]);
            }
        }
        for (int i = 0; i < readOnly.length(); i++) {
            if (readOnly.buffer().get(i) != 0) {
                throw new AssertionError(name + ": byte " + i + " of memory without write access has changed");
            }
        }
    }

    /** Compares the results of Reads and Atomics with the possible values. */
    void compareBrought() {
        for (Brought one : brought) {
            for (int i = 0; i < one.before.length; i++) {
                byte is = bytes(one.sink).get(one.at + i);
                int place = i;
                if (is != one.before[i] && one.later.stream().noneMatch(other -> other[place] == is)) {
                    throw new AssertionError(name + ": byte " + i + " of the result at " + one.at + " is " + is
                            + ", not " + one.before[i] + ", nor what " + one.later.size() + " later requests wrote");
                }
            }
        }
        brought.clear();
    }

    /** The inbox is not compared from now on. */
    void inboxIsOpen() {
        inboxOpen = true;
    }

    /** A fenced request: earlier requests cannot see the effects of this and later ones. */
    void fence() {
        brought.forEach(one -> one.open = false);
    }

    /** The peer's bytes from {@code from} on have changed; an outstanding Read may return the new values. */
    void changed(int from, byte[] all) {
        for (Brought one : brought) {
            if (one.open && one.from >= from && one.from + one.before.length <= from + all.length) {
                byte[] seen = new byte[one.before.length];
                System.arraycopy(all, one.from - from, seen, 0, seen.length);
                one.later.add(seen);
            }
        }
    }

    private void compare(String what, ByteBuffer is, int isAt, byte[] model, int modelAt, int length) {
        for (int i = 0; i < length; i++) {
            if (is.get(isAt + i) != model[modelAt + i]) {
                throw new AssertionError(name + ": byte " + (isAt + i) + " of " + what + " is " + is.get(isAt + i)
                        + ", not " + model[modelAt + i]);
            }
        }
    }

    /** {@return the error status of the request with that id, or null} */
    @Nullable
    WorkCompletionStatus failureOf(long id) {
        for (WorkCompletion one : failures) {
            if (one.id() == id) {
                return one.status();
            }
        }
        return null;
    }
}
