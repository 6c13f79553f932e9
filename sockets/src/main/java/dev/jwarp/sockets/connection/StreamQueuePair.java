package dev.jwarp.sockets.connection;

import dev.jwarp.base.Tally;
import dev.jwarp.sockets.connection.LentMemory.Direction;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamSink;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream on a queue pair: its memory, the receives that are posted, and what of its completions the protocol has to know. What the peer may write to are
 * regions of their own, which end with this.
 *
 * <p>One thread at a time, that of {@link #on} too; but {@link #close} and {@link #posted} any.
 */
abstract class StreamQueuePair implements AutoCloseable {
    private final ProtectionDomain domain;
    private final StreamMemory.Loan memory;
    /** Guarded by itself: the program may take back memory that it has shared while all ends. */
    private final List<MemoryRegion> regions = new ArrayList<>();
    /** Of the program's memory that is gathered from. */
    private @Nullable MemoryRegion gathered;

    /** Set behind each post, and cleared before a flush: so what is posted while another thread flushes is flushed, too. */
    private final AtomicBoolean posted = new AtomicBoolean();

    StreamQueuePair(ProtectionDomain domain, StreamMemory.Loan memory) {
        this.domain = domain;
        this.memory = memory;
    }

    /**
     * Makes the queue pair of an id, and posts its receives.
     *
     * @param completions room for {@link #entries} more
     * @param id to be connected or accepted
     * @param settings its protocol and memory
     * @param memory where all of it comes from; ends with this
     * @param counts what is counted
     * @throws dev.jwarp.verbs.RdmaException if there is no more of it, or of what else it needs; nothing of it is left then
     */
    static StreamQueuePair of(
            ProtectionDomain domain,
            CompletionQueue completions,
            CmId id,
            StreamSetUp settings,
            StreamMemory.Loan memory,
            Tally<RegisteredBuffers.Counter> counts) {
        return switch (settings.protocol()) {
            case RSOCKETS -> new RsocketQueuePair(domain, completions, id, settings, memory);
            case CREDITS -> new CreditQueuePair(domain, completions, id, settings, memory, counts);
        };
    }

    /** {@return entries of a completion queue that one of these needs} */
    static int entries() {
        return Math.max(RsocketQueuePair.ENTRIES, CreditQueuePair.MOST_ENTRIES);
    }

    /** {@return the engine of the stream} Its calls post to the queue pair. */
    abstract SocketEngine engine();

    /**
     * Takes a completion of the queue pair.
     *
     * @param completion not kept
     */
    final void on(WorkCompletion completion) {
        if (!completion.succeeded()) {
            engine().onBroken();
        }
        if (!completion.opcode().isReceive()) {
            engine().onSent(completion.id()); // also what failed: its bytes are given back
        } else if (completion.succeeded()) {
            received((int) completion.id(), completion.byteLength());
        }
    }

    /** A message has come into a slot. */
    abstract void received(int slot, int length);

    abstract QueuePair queuePair();

    /**
     * {@return how many bytes of a buffer go from where they are; 0: it is not registered, or there is no room} They have to stay as they are as long as they are {@link SocketEngine#borrowed}.
     *
     * @param data from position to limit, and the position moves by what is returned; nothing is borrowed
     * @throws IOException if no more can be sent
     */
    int gather(ByteBuffer data) throws IOException {
        return 0;
    }

    /**
     * {@return the same, of registered memory}
     *
     * @param region where the bytes are; it stays likewise
     * @param data all of the region's memory, from position to limit of it; nothing is borrowed
     * @throws IOException if no more can be sent
     */
    final int gather(MemoryRegion region, ByteBuffer data) throws IOException {
        gathered = region;
        return engine().gather(data);
    }

    /** {@return what {@link #gather} sends from} */
    final MemoryRegion gathered() {
        return Objects.requireNonNull(gathered);
    }

    /**
     * Begins to have bytes of the program moved from where they are, if that can be. They are the stream's until {@link #takeBack}.
     *
     * @param data direct, from position to limit, neither of which is changed
     * @return whether it has begun
     * @throws IOException as {@link SocketEngine#write}
     */
    boolean lendOutput(ByteBuffer data) throws IOException {
        return false;
    }

    /**
     * {@return as {@link SocketEngine#read}, but that memory of the program may be {@link #lent} then} It is the stream's until {@link #takeBack}.
     *
     * @param into puts what has come into the data
     * @param data direct, from position to limit
     * @throws IOException as {@link SocketEngine#read}
     */
    int readOrLend(StreamSink into, ByteBuffer data) throws IOException {
        return engine().read(into, data.remaining());
    }

    /** {@return how many bytes were moved to or from what is lent; negative: it is not the program's yet} */
    int takeBack(Direction which) {
        return 0;
    }

    /** {@return what is lent, which the peer can use until it is closed; null: nothing} */
    @Nullable
    MemoryRegion lent(Direction which) {
        return null;
    }

    /** What was lent is closed by others. */
    void forget(Direction which) {}

    /** {@return how far the stream was, both ways in sum, when both ends began to wait for each other to read what they write; negative: they do not, or may} */
    long bothWriteAt() {
        return -1;
    }

    /** Frees what the program's calls have left. Not under the lock of the stream, which the thread that drives the context may want: it is waited for. */
    void freeUnused() {}

    /** Frees what else there is. */
    void freeOthers() {}

    /** {@return memory that ends with this} Others may have to give way. */
    final MemoryRegion register(int length, AccessFlag... access) {
        return kept(domain.register(memory.take(length), access));
    }

    /** {@return the same, of what is free} */
    final MemoryRegion registerFree(int length, AccessFlag... access) {
        return kept(domain.register(memory.takeFree(length), access));
    }

    final StreamMemory.Loan memory() {
        return memory;
    }

    /** {@return memory of the program that the peer may write to} It ends with this, if it is not closed before. */
    final MemoryRegion share(ByteBuffer memory) {
        return kept(domain.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    private MemoryRegion kept(MemoryRegion region) {
        synchronized (regions) {
            regions.add(region);
        }
        return region;
    }

    /** Memory of the program that is closed by others. */
    final void forget(MemoryRegion shared) {
        synchronized (regions) {
            regions.remove(shared);
        }
    }

    /** Posts a request to be sent. */
    final void post(SendWorkRequest request) {
        queuePair().postSend(request);
        havePosted();
    }

    /** A request was posted to be sent. */
    final void havePosted() {
        posted.setRelease(true);
    }

    /** {@return whether something was posted to be sent since this was asked last} Any thread. */
    final boolean posted() {
        return posted.getPlain() && posted.getAndSet(false);
    }

    /** Frees all memory. The id, and with it the queue pair, is closed before. */
    @Override
    public final void close() {
        freeOthers();
        List<MemoryRegion> left;
        synchronized (regions) {
            left = List.copyOf(regions);
            regions.clear();
        }
        for (MemoryRegion region : left) {
            region.close();
        }
        memory.close();
    }
}
