package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One side of a {@link SimulatedRun}: posts the operations of its plan, and checks every completion against the plan.
 * Its memory is one block; between the regions are strips that must not change.
 */
final class SimulatedParty {
    static final int RECEIVES = 16;
    static final int RECEIVE_SIZE = 2048;

    private static final byte UNTOUCHED = 0x5a;
    private static final int STRIP = 64;
    private static final int AREA = 32 * 1024;

    /** One planned operation. */
    private record Planned(
            int number, WorkCompletionOpcode opcode, boolean takesReceive, int at, int length, boolean signaled) {}

    final String name;
    final Context context;
    final CompletionQueue sendCompletions;
    final CompletionQueue receiveCompletions;
    final CmEventChannel events;
    final List<CmEvent> seen = new ArrayList<>();
    private final RandomGenerator random;
    private final ProtectionDomain domain;
    private final ByteBuffer block = ByteBuffer.allocateDirect(8 * (AREA + STRIP));
    private final MemoryRegion outbox;
    private final MemoryRegion inbox;
    private final MemoryRegion sink;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final MemoryRegion counter;
    private int blockUsed;

    @Nullable
    CmId id;

    boolean closed;
    private @Nullable QueuePair queuePair;

    // Posted operations and their outcomes.
    private final List<Planned> posted = new ArrayList<>();
    private final int operations;
    private int outboxUsed;
    private int sinkUsed;
    private int targetUsed;
    private int adds;
    private int additionsSeen;
    private int nextSend;
    private boolean sendFailed;
    private int receivesPosted;
    private int receivesDone;
    private boolean receiveFailed;
    private final List<Planned> delivered = new ArrayList<>();

    /** Largest number of operations of up to {@code largest} bytes in a plan. */
    static int mostOperations(int largest) {
        return AREA / Math.max(largest, Long.BYTES);
    }

    SimulatedParty(String name, Context context, RandomGenerator random, int operations) {
        this.name = name;
        this.context = context;
        this.random = random;
        this.operations = operations;
        domain = context.allocateProtectionDomain();
        sendCompletions = context.createCompletionQueue(256);
        receiveCompletions = context.createCompletionQueue(256);
        events = context.createEventChannel();
        for (int i = 0; i < block.capacity(); i++) {
            block.put(i, UNTOUCHED);
        }
        outbox = region();
        inbox = region(AccessFlag.LOCAL_WRITE);
        sink = region(AccessFlag.LOCAL_WRITE);
        source = region(AccessFlag.REMOTE_READ);
        target = region(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        counter = region(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
        for (int i = 0; i < AREA; i++) {
            outbox.buffer().put(i, pattern(i));
            source.buffer().put(i, (byte) ~pattern(i));
        }
        counter.buffer().putLong(0, 0);
    }

    private MemoryRegion region(AccessFlag... access) {
        ByteBuffer part = block.slice(blockUsed + STRIP, AREA);
        blockUsed += STRIP + AREA;
        return domain.register(part, access);
    }

    /** Expected byte {@code i} of this side's outbox. */
    private byte pattern(int i) {
        return (byte) (i * 31 + (i >> 8) * 17 + name.hashCode());
    }

    void use(CmId given) {
        id = given;
        queuePair = given.createQueuePair(
                domain,
                QueuePairAttributes.builder(sendCompletions, receiveCompletions)
                        .maxSendWorkRequests(random.nextInt(1, 33))
                        .maxReceiveWorkRequests(RECEIVES)
                        .maxSendElements(3)
                        .maxReceiveElements(2)
                        .maxInlineData(128)
                        .build());
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
    }

    QueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    private void postReceive() {
        int at = receivesPosted % RECEIVES * RECEIVE_SIZE;
        int first = random.nextInt(RECEIVE_SIZE + 1);
        queuePair()
                .postReceive(new ReceiveWorkRequest()
                        .id(receivesPosted)
                        .add(inbox, at, first)
                        .add(inbox, at + first, RECEIVE_SIZE - first));
        receivesPosted++;
    }

    boolean finished() {
        return posted.size() == operations && nextSend >= lastReported();
    }

    private int lastReported() {
        int last = posted.size();
        while (last > 0 && !posted.get(last - 1).signaled) {
            last--;
        }
        return last;
    }

    /** Number of this side's messages for which the peer has posted a receive so far. */
    private long messagesOut() {
        return posted.stream().filter(Planned::takesReceive).count();
    }

    /** Posts the next operation of the plan, if the queue and the peer's receives allow it. */
    void postOne(SimulatedParty peer, int largest) {
        if (posted.size() >= operations) {
            return;
        }
        boolean room = messagesOut() < peer.receivesPosted;
        int length = random.nextInt(largest + 1);
        boolean signaled = random.nextInt(4) > 0 || posted.size() == operations - 1;
        SendWorkRequest request = new SendWorkRequest()
                .id(posted.size())
                .signaled(signaled)
                .fence(random.nextInt(8) == 0)
                .solicited(random.nextBoolean());
        Planned planned =
                switch (random.nextInt(room ? 8 : 4)) {
                    case 0, 1 -> {
                        request.rdmaRead(peer.source.address() + sinkUsed, peer.source.rkey())
                                .add(sink, sinkUsed, length);
                        yield new Planned(
                                posted.size(), WorkCompletionOpcode.RDMA_READ, false, sinkUsed, length, signaled);
                    }
                    case 2 -> {
                        gather(request.rdmaWrite(peer.target.address() + targetUsed, peer.target.rkey()), length);
                        yield new Planned(
                                posted.size(), WorkCompletionOpcode.RDMA_WRITE, false, targetUsed, length, signaled);
                    }
                    case 3 -> {
                        request.fetchAndAdd(peer.counter.address(), peer.counter.rkey(), 1)
                                .add(sink, sinkUsed, 8);
                        yield new Planned(posted.size(), WorkCompletionOpcode.FETCH_ADD, false, sinkUsed, 8, signaled);
                    }
                    case 4 -> {
                        request.immediateData(posted.size());
                        yield new Planned(posted.size(), WorkCompletionOpcode.SEND, true, -1, 8, signaled);
                    }
                    case 5 -> {
                        gather(
                                request.rdmaWriteWithImmediate(
                                        peer.target.address() + targetUsed, peer.target.rkey(), posted.size()),
                                length);
                        yield new Planned(posted.size(), WorkCompletionOpcode.RDMA_WRITE, true, -1, 8, signaled);
                    }
                    default -> {
                        int sent = Math.min(length, RECEIVE_SIZE);
                        gather(request.send(), sent);
                        yield new Planned(posted.size(), WorkCompletionOpcode.SEND, true, outboxUsed, sent, signaled);
                    }
                };
        if (!tryPost(request)) {
            return;
        }
        posted.add(planned);
        if (request.remoteAddress() == peer.target.address() + targetUsed
                && planned.opcode == WorkCompletionOpcode.RDMA_WRITE) {
            peer.expectWritten(targetUsed, length, outboxUsed);
            targetUsed += length;
        }
        outboxUsed += length;
        sinkUsed += planned.opcode == WorkCompletionOpcode.FETCH_ADD ? 8 : length;
        adds += planned.opcode == WorkCompletionOpcode.FETCH_ADD ? 1 : 0;
    }

    /** {@return false if the queue is full, or the queue pair or the region is closed by now} */
    private boolean tryPost(SendWorkRequest request) {
        try {
            return queuePair().tryPostSend(request);
        } catch (RdmaException e) {
            assertThat(e.code()).as(e.getMessage()).isIn(RdmaErrorCode.CLOSED, RdmaErrorCode.INVALID_LKEY);
            return false;
        }
    }

    private void gather(SendWorkRequest request, int length) {
        int first = random.nextInt(length + 1);
        request.add(outbox, outboxUsed, first).add(outbox, outboxUsed + first, length - first);
        request.inline(length <= 128 && random.nextBoolean());
    }

    // ---- completions

    private record Written(int at, int length, int from) {}

    private final List<Written> written = new ArrayList<>();

    private void expectWritten(int at, int length, int from) {
        written.add(new Written(at, length, from));
    }

    /** Takes all completions, and checks them against the plan. */
    void take(SimulatedParty peer) {
        WorkCompletion[] some = WorkCompletion.array(8);
        for (int taken = sendCompletions.poll(some); taken > 0; taken = sendCompletions.poll(some)) {
            for (int i = 0; i < taken; i++) {
                sent(some[i], peer);
            }
        }
        for (int taken = receiveCompletions.poll(some); taken > 0; taken = receiveCompletions.poll(some)) {
            for (int i = 0; i < taken; i++) {
                received(some[i], peer);
            }
        }
        CmEvent event = events.poll();
        while (event != null) {
            seen.add(event);
            event = events.poll();
        }
    }

    private void sent(WorkCompletion completion, SimulatedParty peer) {
        int number = (int) completion.id();
        assertThat(number).as("%s: sends complete in order, each once", name).isGreaterThanOrEqualTo(nextSend);
        for (int i = nextSend; i < number; i++) {
            assertThat(posted.get(i).signaled || sendFailed)
                    .as("%s: send %d has no completion", name, i)
                    .isFalse();
            checkEffect(posted.get(i), peer);
        }
        nextSend = number + 1;
        Planned planned = posted.get(number);
        assertThat(completion.opcode())
                .as("%s: opcode of send %d", name, number)
                .isEqualTo(planned.opcode);
        if (completion.succeeded()) {
            assertThat(sendFailed)
                    .as("%s: send %d succeeded after a failure", name, number)
                    .isFalse();
            assertThat(planned.signaled)
                    .as("%s: send %d was not signalled", name, number)
                    .isTrue();
            checkEffect(planned, peer);
        } else {
            sendFailed = true;
        }
    }

    /** Checks the data of a completed Read or Atomic. */
    private void checkEffect(Planned planned, SimulatedParty peer) {
        if (planned.opcode == WorkCompletionOpcode.RDMA_READ) {
            for (int i = 0; i < planned.length; i++) {
                same(sink, planned.at + i, (byte) ~peer.pattern(planned.at + i), "what a Read brought");
            }
        } else if (planned.opcode == WorkCompletionOpcode.FETCH_ADD) {
            long before =
                    sink.buffer().duplicate().order(ByteOrder.nativeOrder()).getLong(planned.at);
            assertThat(before)
                    .as("%s: the value before addition %d", name, additionsSeen)
                    .isEqualTo(additionsSeen);
            additionsSeen++;
        }
    }

    private void received(WorkCompletion completion, SimulatedParty peer) {
        assertThat(completion.id())
                .as("%s: receives complete in order, each once", name)
                .isEqualTo(receivesDone);
        int at = receivesDone % RECEIVES * RECEIVE_SIZE;
        receivesDone++;
        if (!completion.succeeded()) {
            receiveFailed = true;
            return;
        }
        assertThat(receiveFailed)
                .as("%s: a receive succeeded after a failure", name)
                .isFalse();
        Planned message = peer.posted.stream()
                .filter(Planned::takesReceive)
                .skip(delivered.size())
                .findFirst()
                .orElseThrow();
        delivered.add(message);
        assertThat(completion.byteLength())
                .as("%s: length of message %d", name, delivered.size())
                .isEqualTo(message.length);
        if (message.at < 0) {
            assertThat(completion.opcode()).isEqualTo(WorkCompletionOpcode.RECV_RDMA_WITH_IMM);
            assertThat(completion.immediateData()).isEqualTo(message.number);
        }
        for (int i = 0; message.at >= 0 && i < message.length; i++) {
            same(inbox, at + i, peer.pattern(message.at + i), "message " + delivered.size());
        }
        if (queuePair().state() == QueuePairState.RTS && random.nextInt(8) > 0) {
            postReceive();
        }
    }

    /** Closes a region that is in use. */
    void closeSomething() {
        (random.nextBoolean() ? outbox : random.nextBoolean() ? target : source).close();
    }

    // ---- at the end

    /** Checks that every operation is complete. */
    void checkComplete() {
        if (queuePair == null) {
            return;
        }
        assertThat(receivesDone).as("%s: completed receives", name).isEqualTo(receivesPosted);
        assertThat(queuePair().query().sendsOutstanding())
                .as("%s: sends outstanding", name)
                .isZero();
        int expected = sendFailed ? posted.size() : lastReported();
        assertThat(nextSend).as("%s: sends that were reported", name).isGreaterThanOrEqualTo(expected);
    }

    /** Checks a run without faults: every operation succeeded, with the right data. */
    void checkAllDone(SimulatedParty peer) {
        assertThat(sendFailed).as("%s: a send failed", name).isFalse();
        assertThat(posted).as("%s: operations", name).hasSize(operations);
        assertThat(peer.delivered.size()).as("%s: messages delivered", name).isEqualTo((int) messagesOut());
        assertThat(peer.counter
                        .buffer()
                        .duplicate()
                        .order(ByteOrder.nativeOrder())
                        .getLong(0))
                .as("%s: additions", name)
                .isEqualTo(adds);
        for (Written one : peer.written) {
            for (int i = 0; i < one.length; i++) {
                peer.same(peer.target, one.at + i, pattern(one.from + i), "what a Write wrote");
            }
        }
    }

    /** Checks that no byte outside the memory used by operations or accessible to the peer has changed. */
    void checkMemory() {
        for (int region = 0; region * (AREA + STRIP) < block.capacity(); region++) {
            for (int i = region * (AREA + STRIP); i < region * (AREA + STRIP) + STRIP; i++) {
                assertThat(block.get(i) == UNTOUCHED)
                        .as("%s: byte %d, in no region", name, i)
                        .isTrue();
            }
        }
        int end = written.stream().mapToInt(one -> one.at + one.length).max().orElse(0);
        for (int i = 0; i < AREA; i++) {
            same(outbox, i, pattern(i), "the outbox");
            same(source, i, (byte) ~pattern(i), "the source of Reads");
            if (i >= Long.BYTES) {
                same(counter, i, UNTOUCHED, "the bytes after the counter");
            }
            if (i >= end) {
                same(target, i, UNTOUCHED, "bytes of no Write");
            }
        }
    }

    /** Compares without AssertJ first, because there are many bytes. */
    private void same(MemoryRegion region, int at, byte expected, String what) {
        byte actual = region.buffer().get(at);
        if (actual != expected) {
            assertThat(actual)
                    .as("%s: byte %d of its region: %s", name, at, what)
                    .isEqualTo(expected);
        }
    }
}
