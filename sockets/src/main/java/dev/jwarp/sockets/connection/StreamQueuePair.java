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
 * One end of a stream on a queue pair: its memory, its posted receives, and the completions that concern the protocol.
 * Memory that the peer may write to has regions of its own, which are closed with this object.
 *
 * <p>One thread at a time, also in {@link #on}; {@link #close} and {@link #posted}: any thread.
 */
abstract class StreamQueuePair implements AutoCloseable {
    /**
     * The default minimum of bytes of a write that is sent without a copy. In measurements 4 KiB brought no gain, and
     * 64 KiB a gain of a quarter.
     */
    static final int COPY_BYTES = 1 << 14;

    private final ProtectionDomain domain;
    private final StreamMemory.Loan memory;
    private final Tally<RegisteredBuffers.Counter> counts;
    private final int copyBytes;
    /** Made by the first write that is long enough. */
    private volatile @Nullable RegisteredBuffers registered;
    /** Guarded by itself, because the program may free shared memory while the connection ends. */
    private final List<MemoryRegion> regions = new ArrayList<>();
    /** The region of the program's memory of the current {@link #gather}. */
    private @Nullable MemoryRegion gathered;

    /**
     * Set after each post, and cleared before a flush, so that a request that is posted while another thread flushes is
     * flushed, too.
     */
    private final AtomicBoolean posted = new AtomicBoolean();

    StreamQueuePair(
            ProtectionDomain domain,
            StreamSetUp settings,
            StreamMemory.Loan memory,
            Tally<RegisteredBuffers.Counter> counts) {
        this.domain = domain;
        this.memory = memory;
        this.counts = counts;
        copyBytes = settings.copyBytes();
    }

    /**
     * Makes the queue pair of an id, and posts its receives.
     *
     * @param completions with {@link #entries} free entries
     * @param id to be connected or accepted
     * @param settings protocol and sizes
     * @param memory source of the memory; closed with this object
     * @param counts counters of the registered buffers
     * @throws dev.jwarp.verbs.RdmaException if memory or another resource is exhausted; everything is released then
     */
    static StreamQueuePair of(
            ProtectionDomain domain,
            CompletionQueue completions,
            CmId id,
            StreamSetUp settings,
            StreamMemory.Loan memory,
            Tally<RegisteredBuffers.Counter> counts) {
        return switch (settings.protocol()) {
            case RSOCKETS -> new RsocketQueuePair(domain, completions, id, settings, memory, counts);
            case CREDITS -> new CreditQueuePair(domain, completions, id, settings, memory, counts);
        };
    }

    /** {@return the completion queue entries that one queue pair needs} */
    static int entries() {
        return Math.max(RsocketQueuePair.ENTRIES, CreditQueuePair.MOST_ENTRIES);
    }

    /** {@return the engine of the stream} Its calls post to the queue pair. */
    abstract SocketEngine engine();

    /**
     * Processes a completion of the queue pair.
     *
     * @param completion used only during the call
     */
    final void on(WorkCompletion completion) {
        if (!completion.succeeded()) {
            engine().onBroken();
        }
        if (!completion.opcode().isReceive()) {
            engine().onSent(completion.id()); // also if it failed, to return its bytes
        } else if (completion.succeeded()) {
            received((int) completion.id(), completion.byteLength());
        }
    }

    /** A message has arrived in a slot. */
    abstract void received(int slot, int length);

    abstract QueuePair queuePair();

    /**
     * {@return the number of bytes of a buffer that are sent without a copy; 0: the buffer is not registered, or there
     * is no room} The bytes must not change while they are {@link SocketEngine#borrowed}.
     *
     * @param data from position to limit; the position moves by the returned value; no bytes may be borrowed before the
     *     call
     * @throws IOException if no more can be sent
     */
    final int gather(ByteBuffer data) throws IOException {
        if (!data.isDirect() || data.remaining() < copyBytes) {
            return 0;
        }
        RegisteredBuffers.RegisteredBuffer known = registered().find(data);
        if (known == null) {
            return 0;
        }
        int bytes = gather(known.region(), known.at(data));
        data.position(data.position() + bytes);
        return bytes;
    }

    private RegisteredBuffers registered() {
        RegisteredBuffers all = registered;
        if (all == null) {
            all = new RegisteredBuffers(domain, counts);
            registered = all;
        }
        return all;
    }

    /**
     * {@return the same for registered memory}
     *
     * @param region of the bytes; must not be closed while they are borrowed
     * @param data all of the region's memory, of which the bytes from position to limit are sent; no bytes may be
     *     borrowed before the call
     * @throws IOException if no more can be sent
     */
    final int gather(MemoryRegion region, ByteBuffer data) throws IOException {
        gathered = region;
        return engine().gather(data);
    }

    /** {@return the region from which {@link #gather} sends} */
    final MemoryRegion gathered() {
        return Objects.requireNonNull(gathered);
    }

    /**
     * Lends memory of the program whose bytes are to be sent, if possible. The stream owns the memory until {@link
     * #takeBack}.
     *
     * @param data direct, from position to limit; neither is changed
     * @return whether the memory is lent
     * @throws IOException as {@link SocketEngine#write}
     */
    boolean lendOutput(ByteBuffer data) throws IOException {
        return false;
    }

    /**
     * {@return as {@link SocketEngine#read}} Memory of the program may be {@link #lent} after the call; then the stream
     * owns it until {@link #takeBack}.
     *
     * @param into copies received bytes into {@code data}
     * @param data direct, from position to limit
     * @throws IOException as {@link SocketEngine#read}
     */
    int readOrLend(StreamSink into, ByteBuffer data) throws IOException {
        return engine().read(into, data.remaining());
    }

    /** {@return the number of bytes that were moved to or from the lent memory; negative: the stream still owns it} */
    int takeBack(Direction which) {
        return 0;
    }

    /**
     * {@return the region of the lent memory, which the peer can use until the region is closed; null: no memory is
     * lent}
     */
    @Nullable
    MemoryRegion lent(Direction which) {
        return null;
    }

    /** Forgets lent memory, whose region the caller closes. */
    void forget(Direction which) {}

    /**
     * {@return the position of the stream, as the sum of both directions, at which both ends began to wait for each
     * other to read; negative: they do not wait for each other, or this end is set to wait}
     */
    long bothWriteAt() {
        return -1;
    }

    /**
     * Closes unused regions of the program's calls. Not under the lock of the stream: the call waits for the thread
     * that drives the context, which may need the lock.
     */
    void freeUnused() {
        RegisteredBuffers all = registered;
        if (all != null) {
            all.closeForgotten();
        }
    }

    /** Frees the resources of the protocol. */
    void freeOthers() {
        RegisteredBuffers all = registered;
        if (all != null) {
            all.close();
        }
    }

    /** {@return a region that is closed with this object} May displace other streams. */
    final MemoryRegion register(int length, AccessFlag... access) {
        return kept(domain.register(memory.take(length), access));
    }

    /** {@return the same, without displacing other streams} */
    final MemoryRegion registerFree(int length, AccessFlag... access) {
        return kept(domain.register(memory.takeFree(length), access));
    }

    final StreamMemory.Loan memory() {
        return memory;
    }

    /**
     * {@return a region of the program's memory that the peer may write to} It is closed with this object at the
     * latest.
     */
    final MemoryRegion share(ByteBuffer memory) {
        return kept(domain.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    private MemoryRegion kept(MemoryRegion region) {
        synchronized (regions) {
            regions.add(region);
        }
        return region;
    }

    /** Forgets a region of {@link #share}, which the caller closes. */
    final void forget(MemoryRegion shared) {
        synchronized (regions) {
            regions.remove(shared);
        }
    }

    /** Posts a send request. */
    final void post(SendWorkRequest request) {
        queuePair().postSend(request);
        havePosted();
    }

    /** Notes that a send request was posted. */
    final void havePosted() {
        posted.setRelease(true);
    }

    /** {@return whether a send request was posted since the last call} Any thread. */
    final boolean posted() {
        return posted.getPlain() && posted.getAndSet(false);
    }

    /** Frees all memory. The id, and thereby the queue pair, must be closed before. */
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
