package dev.jwarp.tools.perf;

import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.perf.PerfSettings.AtomicKind;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The measured side of an end: queue pairs, one completion queue, memory. All messages leave from one place and arrive at
 * another, as in perftest. One thread.
 */
final class DataEnd implements AutoCloseable {
    /** In the id of a work request: the lane, then the number of the message; or one of these marks. */
    static final int LANE_SHIFT = 48;

    static final long NUMBER = (1L << 47) - 1;
    /** An RDMA Read whose answer shows that all before it has been placed. */
    static final long FLUSH = 1L << 47;

    private static final int BATCH = 64;
    /** Places in the send queue beside those of messages: for counts told to the other end, and a flush. */
    private static final int ASIDE = 64;

    private static final int WORD = 8;
    private static final int CACHE_LINE = 64;
    private static final int RECORDS = 1024;
    private static final Duration NAP = Duration.ofMillis(1);
    private static final Duration IDLE = Duration.ofMillis(100);
    private static final long RATE = 10_000_000;
    private static final int EMPTY_TURNS = 2000;

    final WorkCompletion[] batch = WorkCompletion.array(BATCH);
    private final PerfSettings settings;
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion memory;
    private final MemoryRegion mailbox;
    private final int slot;
    private final boolean sleeps;
    private final List<QueuePair> pairs = new ArrayList<>();
    private List<Lane> lanes = List.of();
    private Note.@Nullable Ends other;
    private int emptyTurns;

    DataEnd(Context context, PerfSettings settings) {
        this.context = context;
        this.settings = settings;
        PerfSettings.Load load = settings.load();
        boolean looks = settings.test() == PerfTest.WRITE_LAT && load.type() == QueuePairType.RC;
        sleeps = settings.queues().events() || (context.progress() == Progress.THREADED && !looks);
        domain = context.allocateProtectionDomain();
        int each = sendDepth(settings) + settings.queues().rxDepth();
        completions = context.createCompletionQueue(load.queuePairs() * each + RECORDS);
        slot = Math.max(CACHE_LINE, (load.largest() + CACHE_LINE - 1) & -CACHE_LINE);
        boolean datagrams = load.type() != QueuePairType.RC;
        memory = datagrams
                ? domain.allocate(2 * slot, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_READ)
                : domain.allocate(
                        2 * slot,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC);
        // What the other end has taken, what it is told, and what a flush reads.
        int words = (2 * load.queuePairs() + 1) * WORD;
        mailbox = datagrams
                ? domain.allocate(words, AccessFlag.LOCAL_WRITE, AccessFlag.UD_WRITE)
                : domain.allocate(words, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    /** {@return places in the send queue of each queue pair} */
    static int sendDepth(PerfSettings settings) {
        return Math.max(settings.queues().txDepth(), settings.load().outstandingReads()) + ASIDE;
    }

    QueuePairAttributes attributes() {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(sendDepth(settings))
                .maxReceiveWorkRequests(settings.queues().rxDepth())
                .maxSendElements(1)
                .maxReceiveElements(1)
                .maxInlineData(Math.max(WORD, settings.queues().inline()))
                .build();
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Takes a queue pair of a connection that is still to be made. */
    void add(QueuePair pair) {
        pairs.add(pair);
        for (int i = 0; i < settings.queues().rxDepth() && takesReceives(); i++) {
            postReceive(pair, pairs.size() - 1);
        }
    }

    /** Makes the queue pairs of datagrams. */
    void bind(InetAddress local) {
        PerfSettings.Load load = settings.load();
        int largest = load.largest();
        DatagramAttributes.Builder attributes = DatagramAttributes.builder(new InetSocketAddress(local, 0))
                .timeouts(new DatagramTimeouts(IDLE, Duration.ofSeconds(5), IDLE, RATE))
                .maxMessage(Math.max(256, largest))
                .maxRead(largest);
        if (load.mtu() > 0) {
            attributes.pathMtu(load.mtu());
        }
        for (int i = 0; i < load.queuePairs(); i++) {
            add(domain.createDatagramQueuePair(load.type(), attributes(), attributes.build()));
        }
    }

    private boolean takesReceives() {
        return settings.test().operation() == PerfTest.Operation.SEND;
    }

    private void postReceive(QueuePair pair, int index) {
        Lane lane = index < lanes.size() ? lanes.get(index) : new Lane(index, pair, null);
        postReceive(lane);
    }

    void postReceive(Lane lane) {
        lane.pair.postReceive(lane.receive().id((long) lane.index << LANE_SHIFT).add(memory, 0, slot));
    }

    /** {@return what the other end has to know} */
    Note.Ends ends() {
        List<Note.Pair> told = new ArrayList<>();
        int buffer = 0;
        for (QueuePair pair : pairs) {
            if (pair instanceof DatagramQueuePair datagrams) {
                told.add(new Note.Pair(
                        pair.number(), datagrams.key(), datagrams.localAddress().getPort()));
                buffer = datagrams.receiveBuffer();
            } else {
                told.add(new Note.Pair(pair.number(), 0, 0));
            }
        }
        return new Note.Ends(
                memory.address(),
                memory.rkey(),
                slot,
                mailbox.address(),
                mailbox.rkey(),
                takesReceives() ? settings.queues().rxDepth() : 0,
                buffer,
                told);
    }

    /** Learns what the other end says of itself. */
    void meet(Note.Ends told, InetAddress host) {
        if (told.pairs().size() != pairs.size() || told.slot() != slot) {
            throw ToolFailure.failed("the other end has " + told.pairs().size() + " queue pairs and " + told.slot()
                    + " bytes of memory; " + pairs.size() + " and " + slot + " were agreed on");
        }
        other = told;
        List<Lane> known = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            AddressHandle handle = null;
            if (pairs.get(i) instanceof DatagramQueuePair datagrams) {
                Note.Pair to = told.pairs().get(i);
                handle = datagrams.createAddressHandle(
                        new InetSocketAddress(host, to.port()), to.number(), to.queueKey());
            }
            known.add(new Lane(i, pairs.get(i), handle));
        }
        lanes = List.copyOf(known);
    }

    Note.Ends other() {
        return Objects.requireNonNull(other, "the other end has not said what it has");
    }

    List<Lane> lanes() {
        return lanes;
    }

    /** {@return messages posted so far} */
    long posted() {
        return lanes.stream().mapToLong(lane -> lane.posted).sum();
    }

    Lane laneOf(WorkCompletion completion) {
        if (completion.opcode() != WorkCompletionOpcode.RECV_WRITE_RECORD) {
            return lanes.get((int) (completion.id() >>> LANE_SHIFT));
        }
        int last = lanes.size() - 1;
        for (int i = 0; i < last; i++) {
            if (lanes.get(i).pair.number() == completion.queuePairNumber()) {
                return lanes.get(i);
            }
        }
        return lanes.get(last);
    }

    /** Makes the request one of the operation that is measured, of that size; all but id and signal. */
    void fill(SendWorkRequest request, Lane lane, int size) {
        Note.Ends there = other();
        request.clear();
        if (lane.peer != null) {
            request.destination(lane.peer);
        }
        switch (settings.test().operation()) {
            case SEND -> request.send().add(memory, slot, size);
            case WRITE -> {
                if (lane.peer == null) {
                    request.rdmaWrite(there.address(), there.key());
                } else {
                    request.writeRecord(there.address(), there.key());
                }
                request.add(memory, slot, size);
            }
            case READ -> request.rdmaRead(there.address() + slot, there.key()).add(memory, 0, size);
            case ATOMIC -> {
                if (settings.load().atomic() == AtomicKind.FETCH_AND_ADD) {
                    request.fetchAndAdd(there.address(), there.key(), 1);
                } else {
                    request.compareAndSwap(there.address(), there.key(), 0, 1);
                }
                request.add(memory, slot, size);
            }
        }
        request.inline(!settings.test().operation().fetches()
                && size <= settings.queues().inline());
    }

    /** Asks for an answer that comes when all before it has been placed. */
    void flush(Lane lane) {
        Note.Ends there = other();
        lane.pair.postSend(lane.aside()
                .id((long) lane.index << LANE_SHIFT | FLUSH)
                .rdmaRead(there.mailboxAddress(), there.mailboxKey())
                .add(mailbox, 2 * lanes.size() * WORD, WORD));
    }

    /** Tells the other end how many messages were taken; it finds the number in its memory. @return whether there was room */
    boolean tell(Lane lane) {
        int out = (lanes.size() + lane.index) * WORD;
        mailbox.buffer().putLong(out, lane.taken);
        Note.Ends there = other();
        return lane.pair.tryPostSend(lane.aside()
                .id((long) lane.index << LANE_SHIFT)
                .signaled(false)
                .inline(true)
                .rdmaWrite(there.mailboxAddress() + (long) lane.index * WORD, there.mailboxKey())
                .add(mailbox, out, WORD));
    }

    /** {@return how many messages the other end says it has taken} */
    long heard(Lane lane) {
        return mailbox.buffer().getLong(lane.index * WORD);
    }

    /** Marks the last octet of what is sent. */
    void mark(int size, byte mark) {
        memory.buffer().put(slot + size - 1, mark);
    }

    /** {@return the last octet of what came} */
    byte mark(int size) {
        return memory.buffer().get(size - 1);
    }

    /** No octet of an earlier step is taken for a mark. */
    void clearMark(int size) {
        memory.buffer().put(size - 1, (byte) 0);
    }

    /** {@return how many completions there are now, in {@link #batch}; where it may sleep, after a nap if there was none} */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but how fast it goes on a single processor
    int poll() {
        int count = completions.poll(batch);
        if (count > 0) {
            emptyTurns = 0;
        } else if (sleeps) {
            count = completions.await(batch, NAP);
        } else if (++emptyTurns >= EMPTY_TURNS) {
            // Whoever shall answer may be waiting for this processor.
            emptyTurns = 0;
            Thread.yield();
        }
        return count;
    }

    /** {@return how many completions there are now, in {@link #batch}, without ever sleeping} */
    int look() {
        return completions.poll(batch);
    }

    Context context() {
        return context;
    }

    @Override
    public void close() {
        context.close();
    }
}
