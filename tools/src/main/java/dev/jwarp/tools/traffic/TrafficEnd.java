package dev.jwarp.tools.traffic;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.tools.traffic.TrafficLoad.Waiting;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The measured part of an end: queue pairs, one completion queue, memory. All messages are sent from one place in
 * memory and arrive at another, as in perftest. One thread.
 */
public final class TrafficEnd implements AutoCloseable {
    /** Parts of the id of a work request: the lane, then the number of the message or the mark of a flush. */
    static final int LANE_SHIFT = 48;

    static final long NUMBER = (1L << 47) - 1;
    /** The mark of an RDMA Read whose answer shows that everything before it was placed. */
    static final long FLUSH = 1L << 47;

    /**
     * Bytes of a note to the other end: the number of a question, its own or the last one received, and the count of
     * taken messages.
     */
    static final int WORD = 8;

    private static final int QUESTION_SHIFT = 48;
    private static final long COUNT = (1L << QUESTION_SHIFT) - 1;

    private static final int BATCH = 64;
    /** Additional work requests in the send queue, for notes to the other end and a flush. */
    private static final int ASIDE = 64;

    private static final int CACHE_LINE = 64;
    private static final int RECORDS = 1024;
    private static final int EMPTY_TURNS = 2000;

    final WorkCompletion[] batch = WorkCompletion.array(BATCH);
    private final TrafficLoad load;
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion memory;
    private final MemoryRegion mailbox;
    private final int slot;
    private final List<QueuePair> pairs = new ArrayList<>();
    private List<Lane> lanes = List.of();
    private @Nullable TrafficPlace other;
    private int emptyTurns;

    /** @param context the device context, which is closed with the end */
    public TrafficEnd(Context context, TrafficLoad load) {
        this.context = context;
        this.load = load;
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(load.queuePairs() * (sendDepth(load) + load.receives()) + RECORDS);
        int room = Math.max(load.largest(), load.page());
        slot = Math.max(CACHE_LINE, (room + CACHE_LINE - 1) & -CACHE_LINE);
        memory = load.datagrams()
                ? domain.allocate(2 * slot, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_READ)
                : domain.allocate(
                        2 * slot,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC);
        // Words with the counts of the other end, words with counts for it, and a word that a flush reads.
        int words = (2 * load.queuePairs() + 1) * WORD;
        mailbox = load.datagrams()
                ? domain.allocate(words, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD)
                : domain.allocate(words, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    /** {@return the depth of the send queue of each queue pair} */
    public static int sendDepth(TrafficLoad load) {
        return load.sends() + ASIDE;
    }

    /** {@return the attributes of its queue pairs} */
    public QueuePairAttributes attributes() {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(sendDepth(load))
                .maxReceiveWorkRequests(load.receives())
                .maxSendElements(1)
                .maxReceiveElements(1)
                .maxInlineData(Math.max(WORD, load.inline()))
                .build();
    }

    /** {@return the protection domain of its queue pairs} */
    public ProtectionDomain domain() {
        return domain;
    }

    TrafficLoad load() {
        return load;
    }

    /** Fills the memory of outgoing messages with a pattern. */
    public void scribble() {
        for (int i = 0; i < slot; i++) {
            memory.buffer().put(slot + i, (byte) (i * 31));
        }
    }

    /** Adds a queue pair that is not connected yet. */
    public void add(QueuePair pair) {
        Lane lane = new Lane(pairs.size(), pair, null);
        pairs.add(pair);
        for (int i = 0; i < load.receives() && load.takesReceives(); i++) {
            postReceive(lane);
        }
    }

    /** Makes the datagram queue pairs. */
    public void bind(DatagramAttributes attributes) {
        for (int i = 0; i < load.queuePairs(); i++) {
            add(domain.createDatagramQueuePair(load.service(), attributes(), attributes));
        }
    }

    void postReceive(Lane lane) {
        lane.pair.postReceive(lane.receive().id((long) lane.index << LANE_SHIFT).add(memory, 0, slot));
    }

    /** {@return the place of this end, for the other end} */
    public TrafficPlace place() {
        List<TrafficPlace.Pair> told = new ArrayList<>();
        int buffer = 0;
        for (QueuePair pair : pairs) {
            if (pair instanceof DatagramQueuePair datagrams) {
                told.add(new TrafficPlace.Pair(
                        pair.number(), datagrams.key(), datagrams.localAddress().getPort()));
                buffer = datagrams.receiveBuffer();
            } else {
                told.add(new TrafficPlace.Pair(pair.number(), 0, 0));
            }
        }
        return new TrafficPlace(
                memory.address(),
                memory.rkey(),
                slot,
                mailbox.address(),
                mailbox.rkey(),
                load.takesReceives() ? load.receives() : 0,
                buffer,
                told);
    }

    /** Sets the place of the other end. */
    public void meet(TrafficPlace told, InetAddress host) {
        if (told.pairs().size() != pairs.size() || told.slot() != slot) {
            throw ToolFailure.failed("the other end has " + told.pairs().size() + " queue pairs and " + told.slot()
                    + " bytes of memory; " + pairs.size() + " and " + slot + " were agreed on");
        }
        other = told;
        List<Lane> known = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            AddressHandle handle = null;
            if (pairs.get(i) instanceof DatagramQueuePair datagrams) {
                TrafficPlace.Pair to = told.pairs().get(i);
                handle = datagrams.createAddressHandle(
                        new InetSocketAddress(host, to.port()), to.number(), to.queueKey());
            }
            known.add(new Lane(i, pairs.get(i), handle));
        }
        lanes = List.copyOf(known);
    }

    /** {@return the place of the other end, which must be set} */
    public TrafficPlace other() {
        return Objects.requireNonNull(other, "the place of the other end is not known yet");
    }

    List<Lane> lanes() {
        return lanes;
    }

    /** {@return messages posted so far} */
    public long posted() {
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

    /** Fills a request with the measured operation, for messages of that size. Id and signal are left to the caller. */
    void fill(SendWorkRequest request, Lane lane, int size) {
        TrafficPlace there = other();
        request.clear();
        if (lane.peer != null) {
            request.destination(lane.peer);
        }
        switch (load.operation()) {
            case SEND -> request.send().add(memory, slot, size);
            case WRITE -> {
                aim(request, lane, 0);
                request.add(memory, slot, size);
            }
            case READ -> request.rdmaRead(there.address() + slot, there.key()).add(memory, 0, size);
            case FETCH_AND_ADD ->
                request.fetchAndAdd(there.address(), there.key(), 1).add(memory, slot, size);
            case COMPARE_AND_SWAP ->
                request.compareAndSwap(there.address(), there.key(), 0, 1).add(memory, slot, size);
        }
        request.inline(!load.operation().fetches() && size <= load.inline());
    }

    /** Sets the offset of a Write in the target's memory. */
    void aim(SendWorkRequest request, Lane lane, int offset) {
        TrafficPlace there = other();
        write(request, lane, there.address() + offset, there.key());
    }

    private static void write(SendWorkRequest request, Lane lane, long address, int key) {
        if (lane.peer == null) {
            request.rdmaWrite(address, key);
        } else {
            request.writeRecord(address, key);
        }
    }

    /** {@return whether a Write-Record was a note, which is in the mailbox} */
    boolean isNote(WorkCompletion record) {
        return record.localKey() == mailbox.rkey();
    }

    /** Posts an RDMA Read whose answer shows that everything before it was placed. */
    void flush(Lane lane) {
        TrafficPlace there = other();
        lane.pair.postSend(lane.aside()
                .id((long) lane.index << LANE_SHIFT | FLUSH)
                .rdmaRead(there.mailboxAddress(), there.mailboxKey())
                .add(mailbox, 2L * lanes.size() * WORD, WORD));
    }

    /**
     * Sends the count of taken messages and the number of the question.
     *
     * @return whether there was room in the send queue
     */
    boolean tell(Lane lane) {
        int out = (lanes.size() + lane.index) * WORD;
        mailbox.buffer().putLong(out, (long) lane.question << QUESTION_SHIFT | lane.taken);
        SendWorkRequest note = lane.aside().id((long) lane.index << LANE_SHIFT);
        if (load.telling() == Telling.SEND) {
            note.send();
        } else {
            TrafficPlace there = other();
            write(note, lane, there.mailboxAddress() + (long) lane.index * WORD, there.mailboxKey());
        }
        return lane.pair.tryPostSend(note.signaled(false).inline(true).add(mailbox, out, WORD));
    }

    /**
     * Moves a received note from the memory of messages to the mailbox.
     *
     * @return the number of its question
     */
    int note(Lane lane) {
        long word = memory.buffer().getLong(0);
        mailbox.buffer().putLong(lane.index * WORD, word);
        return (int) (word >>> QUESTION_SHIFT);
    }

    /** {@return the latest count of the other end} */
    long heard(Lane lane) {
        return mailbox.buffer().getLong(lane.index * WORD) & COUNT;
    }

    /** Sets the last byte of outgoing messages. */
    void mark(int size, byte mark) {
        memory.buffer().put(slot + size - 1, mark);
    }

    /** {@return the last byte of the received message} */
    byte mark(int size) {
        return memory.buffer().get(size - 1);
    }

    /** Clears the mark, so that no byte of an earlier run is taken for it. */
    void clearMark(int size) {
        memory.buffer().put(size - 1, (byte) 0);
    }

    /** {@return the number of completions, which are in {@link #batch}} Waits as set by {@link TrafficLoad#waiting}. */
    @SuppressWarnings("ThreadPriorityCheck") // only the speed on a single processor depends on it
    int poll() {
        Waiting waiting = load.waiting();
        if (waiting == Waiting.BLOCK || waiting == Waiting.DOZE) {
            return completions.await(batch, waiting.patience);
        }
        int count = completions.poll(batch);
        if (count > 0) {
            emptyTurns = 0;
        } else if (waiting == Waiting.NAP) {
            count = completions.await(batch, waiting.patience);
        } else if (++emptyTurns >= EMPTY_TURNS) {
            // The end that has to answer may be waiting for this processor.
            emptyTurns = 0;
            Thread.yield();
        }
        return count;
    }

    /** {@return the number of completions now, which are in {@link #batch}} Never sleeps. */
    public int look() {
        return completions.poll(batch);
    }

    /** {@return the device context} */
    public Context context() {
        return context;
    }

    @Override
    public void close() {
        context.close();
    }
}
