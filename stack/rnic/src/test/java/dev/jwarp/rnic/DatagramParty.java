package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * One of several parties that send, write and read at random. Every byte sent encodes its position in {@link #source},
 * and every message has a destination of its own, so that each completion can be verified.
 */
final class DatagramParty {
    static final int LONGEST = 6_000;
    private static final int SOURCE = 16_384;
    private static final int SLOTS = 60;

    final DatagramQueuePair queuePair;
    final ProtectionDomain domain;
    private final RandomGenerator random;
    private final CompletionQueue completions;
    private final MemoryRegion source;
    private final MemoryRegion slots;
    private final MemoryRegion inbox;
    private final MemoryRegion sink;
    private final List<AddressHandle> peers = new ArrayList<>();
    private final List<DatagramParty> others = new ArrayList<>();
    private final WorkCompletion[] taken = WorkCompletion.array(4);

    /** Outstanding requests by id. */
    private final Map<Long, Asked> asked = new HashMap<>();

    /** Slots of this party that another party writes to, with the expected data. */
    private final Map<Integer, Asked> expected = new HashMap<>();

    /** Sends to this party that are in flight or lost. */
    private final List<Asked> incoming = new ArrayList<>();

    private final Set<Integer> recorded = new HashSet<>();
    private final Set<String> received = new HashSet<>();
    private int nextSlot;
    private int nextSink;
    private long nextId = 1000;
    private int receivesOut;
    private final boolean reporting;

    /** A request for the bytes from {@code from} on, to {@code slot}; for a Send, {@code slot} is -1. */
    private record Asked(WorkCompletionOpcode what, int from, int length, int slot, boolean signaled) {}

    DatagramParty(Context context, InetSocketAddress address, RandomGenerator random, int mtu) {
        this.random = random;
        reporting = random.nextBoolean();
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(random.nextInt(8, 200));
        source = domain.allocate(SOURCE, AccessFlag.REMOTE_READ);
        slots = domain.allocate(SLOTS * LONGEST, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_WRITE);
        inbox = domain.allocate(SLOTS * LONGEST, AccessFlag.LOCAL_WRITE);
        sink = domain.allocate(SLOTS * LONGEST, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < SOURCE; i++) {
            source.buffer().put(i, DatagramSide.octet(i));
        }
        queuePair = domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(random.nextInt(4, 64))
                        .maxReceiveWorkRequests(64)
                        .build(),
                DatagramAttributes.builder(address)
                        .reportIncomplete(reporting)
                        .pathMtu(mtu)
                        .timeouts(new DatagramTimeouts(
                                Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofMillis(50), 1_000_000))
                        .build());
    }

    void meet(DatagramParty other, int mtu) {
        others.add(other);
        peers.add(queuePair.createAddressHandle(
                other.queuePair.localAddress(), other.queuePair.number(), other.queuePair.key(), mtu, 0));
    }

    /** Posts a random request. */
    void act() {
        int who = random.nextInt(peers.size());
        switch (random.nextInt(5)) {
            case 0, 1 -> postReceive();
            case 2 -> send(peers.get(who), others.get(who));
            case 3 -> write(peers.get(who), others.get(who));
            default -> read(peers.get(who), others.get(who));
        }
    }

    private int length() {
        return random.nextInt(3) == 0 ? random.nextInt(100) : random.nextInt(LONGEST);
    }

    private void postReceive() {
        if (receivesOut < SLOTS
                && queuePair.tryPostReceive(
                        new ReceiveWorkRequest().id(receivesOut).add(inbox, (long) receivesOut * LONGEST, LONGEST))) {
            receivesOut++;
        }
    }

    private void send(AddressHandle peer, DatagramParty other) {
        int length = length();
        int from = random.nextInt(SOURCE - length);
        SendWorkRequest request = new SendWorkRequest().destination(peer).add(source, from, length);
        if (post(request, WorkCompletionOpcode.SEND, from, length, -1)) {
            other.incoming.add(new Asked(WorkCompletionOpcode.RECV, from, length, -1, true));
        }
    }

    private void write(AddressHandle peer, DatagramParty other) {
        if (other.nextSlot == SLOTS) {
            return;
        }
        int length = length();
        int from = random.nextInt(SOURCE - length);
        int slot = other.nextSlot;
        SendWorkRequest request = new SendWorkRequest()
                .destination(peer)
                .writeRecord(other.slots.address() + (long) slot * LONGEST, other.slots.rkey())
                .add(source, from, length);
        if (post(request, WorkCompletionOpcode.WRITE_RECORD, from, length, slot)) {
            other.nextSlot++;
            other.expected.put(slot, new Asked(WorkCompletionOpcode.RECV_WRITE_RECORD, from, length, slot, true));
        }
    }

    private void read(AddressHandle peer, DatagramParty other) {
        if (nextSink == SLOTS) {
            return;
        }
        int length = length();
        int from = random.nextInt(SOURCE - length);
        SendWorkRequest request = new SendWorkRequest()
                .destination(peer)
                .rdmaRead(other.source.address() + from, other.source.rkey())
                .add(sink, (long) nextSink * LONGEST, length);
        if (post(request, WorkCompletionOpcode.RDMA_READ, from, length, nextSink)) {
            nextSink++;
        }
    }

    private boolean post(SendWorkRequest request, WorkCompletionOpcode what, int from, int length, int slot) {
        boolean signaled = what == WorkCompletionOpcode.RDMA_READ || random.nextInt(4) > 0;
        if (!queuePair.tryPostSend(request.id(nextId).signaled(signaled))) {
            return false;
        }
        asked.put(nextId, new Asked(what, from, length, slot, signaled));
        nextId++;
        return true;
    }

    /** Takes some completions, and verifies them. */
    void take() {
        int count = completions.poll(taken);
        for (int i = 0; i < count; i++) {
            check(taken[i]);
        }
    }

    private void check(WorkCompletion completion) {
        switch (completion.opcode()) {
            case RECV -> checkReceive(completion);
            case RECV_WRITE_RECORD -> checkRecord(completion);
            case RDMA_READ -> checkRead(completion);
            default -> {
                Asked done = asked.remove(completion.id());
                assertThat(done)
                        .as("asked for, and not reported before: %s", completion)
                        .isNotNull();
                assertThat(completion.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(completion.opcode()).isEqualTo(done.what);
            }
        }
    }

    private void checkReceive(WorkCompletion completion) {
        assertThat(received.add("receive " + completion.id()))
                .as("once: %s", completion)
                .isTrue();
        if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            return;
        }
        int at = (int) completion.id() * LONGEST;
        if (completion.succeeded()) {
            Asked sent = incoming.stream()
                    .filter(one -> one.length == completion.byteLength() && hasContent(inbox, at, 0, one))
                    .findFirst()
                    .orElse(null);
            assertThat(sent)
                    .as("sent by a party, and not received before: %s", completion)
                    .isNotNull();
            incoming.remove(sent);
        } else {
            assertThat(completion.status()).as(completion::describe).isEqualTo(WorkCompletionStatus.INCOMPLETE);
            assertThat(reporting).isTrue();
        }
    }

    private void checkRecord(WorkCompletion completion) {
        int slot = (int) ((completion.localAddress() - slots.address()) / LONGEST);
        Asked wanted = expected.get(slot);
        assertThat(wanted).as("written by a party: %s", completion).isNotNull();
        assertThat(recorded.add(slot)).as("once: %s", completion).isTrue();
        assertThat(completion.messageLength()).isEqualTo(wanted.length);
        ValidityMap validity = completion.validity();
        assertThat(validity).isNotNull();
        assertThat(completion.succeeded()).as(completion::describe).isEqualTo(validity.isComplete());
        assertMap(validity, slots, slot * LONGEST, wanted);
    }

    private void checkRead(WorkCompletion completion) {
        Asked wanted = asked.remove(completion.id());
        assertThat(wanted)
                .as("asked for, and not reported before: %s", completion)
                .isNotNull();
        if (completion.succeeded()) {
            assertThat(hasContent(sink, wanted.slot * LONGEST, 0, wanted))
                    .as("what was there: %s", completion)
                    .isTrue();
        } else if (completion.status() != WorkCompletionStatus.WR_FLUSH_ERR) {
            assertThat(completion.status())
                    .as(completion::describe)
                    .isIn(WorkCompletionStatus.PARTIAL, WorkCompletionStatus.RESP_TIMEOUT_ERR);
            ValidityMap validity = completion.validity();
            assertThat(validity).isNotNull();
            assertMap(validity, sink, wanted.slot * LONGEST, wanted);
        }
    }

    /** Checks that valid bytes of the map are right, and that all other bytes were never written. */
    private static void assertMap(ValidityMap validity, MemoryRegion memory, int at, Asked wanted) {
        assertThat(validity.length()).isEqualTo(wanted.length);
        validity.forEachRange((offset, length) -> assertThat(hasContent(
                        memory, at, (int) offset, new Asked(wanted.what, wanted.from, (int) length, wanted.slot, true)))
                .as("what was sent, from byte %s on", offset)
                .isTrue());
        validity.forEachHole((offset, length) -> {
            for (long i = offset; i < offset + length; i++) {
                assertThat(memory.buffer().get(at + (int) i)).as("untouched").isZero();
            }
        });
    }

    /** {@return whether the bytes from {@code offset} on are those that {@code wanted} describes} */
    private static boolean hasContent(MemoryRegion memory, int at, int offset, Asked wanted) {
        for (int i = offset; i < offset + wanted.length; i++) {
            if (memory.buffer().get(at + i) != DatagramSide.octet(wanted.from + i)) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether every request that has to complete has completed} */
    boolean idle() {
        return queuePair.query().sendsOutstanding() == 0
                && asked.values().stream().noneMatch(Asked::signaled);
    }

    /** Closes the queue pair, and checks that all receives complete. */
    void end() {
        queuePair.close();
        for (int i = 0; i < 100; i++) {
            take();
        }
        assertThat(asked.values()).as("reported").noneMatch(Asked::signaled);
        for (int id = 0; id < receivesOut; id++) {
            assertThat(received).as("each receive has completed").contains("receive " + id);
        }
    }

    /** {@return Write-Records and receives that arrived, as text} */
    int successes() {
        return recorded.size() + received.size();
    }
}
