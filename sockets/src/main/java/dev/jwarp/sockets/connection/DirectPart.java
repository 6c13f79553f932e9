package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.connection.LentMemory.Direction;
import dev.jwarp.sockets.stream.DirectWire;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of a credit stream with zero-copy data: its word, which is the only memory that the peer can change by
 * Atomics; a staging buffer; and the memory that the program has lent, registered for each call as a region of exactly
 * the lent bytes.
 */
final class DirectPart implements DirectWire, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectPart.class);

    /** Bytes of the staging buffer. */
    static final int STAGE = 1 << 16;

    private final ProtectionDomain domain;
    private final CreditQueuePair pair;
    private final MemoryRegion word;
    /** Receives the old value of the peer's word. */
    private final MemoryRegion old;

    private final MemoryRegion stage;
    private final SendWorkRequest request = new SendWorkRequest();
    /** Memory for data of the peer while both ends write. Guarded by itself. */
    private final Deque<MemoryRegion> spares = new ArrayDeque<>();

    private final UnusedRegions unused = new UnusedRegions();
    private @Nullable MemoryRegion input;
    private @Nullable MemoryRegion output;

    /** Registers the permanent memory, which the queue pair owns and closes. */
    DirectPart(ProtectionDomain domain, CreditQueuePair pair) {
        this.domain = domain;
        this.pair = pair;
        word = pair.register(Long.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
        old = pair.register(Long.BYTES, AccessFlag.LOCAL_WRITE);
        stage = pair.register(STAGE, AccessFlag.LOCAL_WRITE);
    }

    /**
     * {@return a region of the program's memory from position to limit, which the peer can use until the region is
     * closed; null if the memory cannot be registered}
     */
    @Nullable
    MemoryRegion lend(Direction which, ByteBuffer data) {
        try {
            if (which == Direction.INPUT) {
                input = domain.register(data.slice(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            } else {
                output = domain.register(data.slice(), AccessFlag.REMOTE_READ);
            }
            return lent(which);
        } catch (RdmaException e) {
            LOG.debug("{} bytes are copied instead", data.remaining(), e);
            return null;
        }
    }

    @Nullable
    MemoryRegion lent(Direction which) {
        return which == Direction.INPUT ? input : output;
    }

    /** Forgets the region of lent memory, which the caller closes. */
    void forget(Direction which) {
        if (which == Direction.INPUT) {
            input = null;
        } else {
            output = null;
        }
    }

    @Override
    public ByteBuffer stage() {
        return stage.buffer();
    }

    @Override
    public @Nullable ByteBuffer spare(int length) {
        boolean counted = pair.memory().count(length);
        try {
            MemoryRegion region = counted ? domain.allocate(length, AccessFlag.LOCAL_WRITE) : null;
            if (region == null) {
                return null;
            }
            synchronized (spares) {
                spares.add(region);
            }
            return region.buffer();
        } catch (RdmaException e) {
            pair.memory().give(length);
            LOG.debug("{} bytes of the peer are not kept", length, e);
            return null;
        }
    }

    @Override
    public void freeSpare() {
        synchronized (spares) {
            MemoryRegion first = spares.poll();
            if (first != null) { // else close() has released them
                unused.add(first);
            }
        }
    }

    /**
     * Closes regions that are no longer used. Not under the lock of the connection: closing waits for a device that
     * uses the region.
     */
    void closeUnused() {
        long bytes = unused.closeAll();
        if (bytes > 0) {
            pair.memory().give(bytes); // takes a lock of the process
        }
    }

    @Override
    public long wordAddress() {
        return word.address();
    }

    @Override
    public int wordKey() {
        return word.rkey();
    }

    @Override
    public long word() {
        return word.getAtomic(0);
    }

    @Override
    public boolean swapWord(long expected, long replacement) {
        return word.compareAndSetAtomic(0, expected, replacement);
    }

    @Override
    public void swap(long address, int key, long expected, long replacement, long id) {
        post(request.clear().compareAndSwap(address, key, expected, replacement).add(old), id);
    }

    @Override
    public long swapped() {
        return old.getAtomic(0);
    }

    @Override
    public void put(long address, int key, int length, long id) {
        post(request.clear().rdmaWrite(address, key).add(Objects.requireNonNull(output), 0, length), id);
    }

    @Override
    public void fetch(long address, int key, int length, DirectWire.Target target, long id) {
        MemoryRegion sink =
                switch (target) {
                    case LENT -> Objects.requireNonNull(input);
                    case STAGE -> stage;
                    case SPARE -> lastSpare();
                };
        post(request.clear().rdmaRead(address, key).add(sink, 0, length), id);
    }

    private MemoryRegion lastSpare() {
        synchronized (spares) {
            return spares.getLast();
        }
    }

    private void post(SendWorkRequest what, long id) {
        pair.post(what.id(id));
    }

    /**
     * Closes all regions, including those of memory that is still lent. The call that has lent the memory closes the
     * region, too, and thereby waits until it is closed.
     */
    @Override
    public void close() {
        for (Direction which : Direction.values()) {
            MemoryRegion region = lent(which);
            if (region != null) {
                region.close();
            }
        }
        synchronized (spares) {
            spares.forEach(unused::add);
            spares.clear();
        }
        closeUnused();
    }
}
