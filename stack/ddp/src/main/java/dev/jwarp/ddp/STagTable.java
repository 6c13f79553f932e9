package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The STags of one device: registers memory and finds it again by STag. Any thread; {@link #find} takes no lock and
 * allocates nothing.
 *
 * <p>New STags are a keyed permutation of a counter: a peer cannot guess them, and a number is not used again before
 * 2^32 registrations, so that a stale STag is never taken for a new one (RFC 5041 §8.3 (2), DDP-8.3-1). STag 0 is never
 * given out.
 */
public final class STagTable {
    /** Never a registered buffer: means "none". */
    public static final int NO_STAG = 0;

    private static final int SMALLEST = 64;

    private final STagSequence sequence;
    private final int limit;

    // Guarded by this; the array is read without the lock. Open addressing with linear probing: a slot is empty (null),
    // in use, or GONE. A slot never becomes empty again while its array is in use, so a probing reader cannot lose its
    // way; arrays with too few empty slots are replaced.
    private volatile AtomicReferenceArray<@Nullable TaggedBuffer> slots = new AtomicReferenceArray<>(SMALLEST);
    private int inUse;
    private int notEmpty;

    private static final TaggedBuffer GONE = gone();

    /**
     * Creates an empty table.
     *
     * @param randomness gives the key of the permutation, and nothing later: a {@code SecureRandom}; a seeded generator
     *     in simulations
     * @param limit buffers that may be registered at a time
     */
    public STagTable(RandomGenerator randomness, int limit) {
        if (limit < 1 || limit > 1 << 28) {
            throw new IllegalArgumentException("An STag table holds 1 to " + (1 << 28) + " buffers, not " + limit);
        }
        this.sequence = new STagSequence(randomness);
        this.limit = limit;
    }

    /**
     * Registers memory.
     *
     * @param domain the protection domain, an opaque number
     * @param memory the octets between its position and its limit; what happens to the position and limit of this object
     *     later does not matter. Its owner keeps it alive and unmapped until it is deregistered.
     * @param baseOffset tagged offset of the first octet, an unsigned number of 64 bits
     * @param access bits of {@link Access}
     * @throws IllegalArgumentException if the range would reach 2^64, access has unknown bits, or the memory is
     *     read-only and access would change it
     * @throws IllegalStateException if the limit of the table is reached
     */
    public synchronized TaggedBuffer register(long domain, ByteBuffer memory, long baseOffset, int access) {
        checkRoom();
        return insert(newRegion(nextFree(), domain, memory, baseOffset, access));
    }

    /**
     * Registers several buffers as one range: the octets of the first, those of the second, and so on, under ascending tagged
     * offsets. Otherwise as {@link #register(long, ByteBuffer, long, int)}.
     *
     * @param memory may be without any, and some may be empty; what happens to this list later does not matter
     * @throws IllegalArgumentException also if a buffer is read-only and access would change it
     */
    public synchronized TaggedBuffer register(long domain, List<ByteBuffer> memory, long baseOffset, int access) {
        List<ByteBuffer> parts =
                memory.stream().filter(ByteBuffer::hasRemaining).toList();
        if (parts.size() <= 1) { // as fast as if it had been registered alone
            ByteBuffer only = parts.isEmpty() ? ByteBuffer.allocateDirect(0) : parts.get(0);
            return register(domain, only, baseOffset, access);
        }
        checkRoom();
        checkAccess(access);
        parts.forEach(part -> checkWritable(part, access));
        Pieces pieces = new Pieces(parts);
        checkOffsets(baseOffset, pieces.length());
        return insert(new TaggedBuffer(nextFree(), domain, baseOffset, access, pieces));
    }

    /**
     * Registers memory under an STag of the caller's choice: for what is written to by groups, whose members have to agree on
     * it (datagram-iWARP §12), and for tests. Whatever else peers can reach gets its STag from {@link #register}.
     *
     * @throws IllegalArgumentException also if the STag is in use or {@link #NO_STAG}
     */
    public synchronized TaggedBuffer registerAs(int stag, long domain, ByteBuffer memory, long baseOffset, int access) {
        checkRoom();
        if (stag == NO_STAG || find(stag) != null) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "STag 0x%08x cannot be chosen: it is in use", stag));
        }
        return insert(newRegion(stag, domain, memory, baseOffset, access));
    }

    /**
     * Makes a window into a region, under a new STag that is not found until {@link #bind}: so the STag of a binding that
     * is still on its way through a send queue is known already.
     *
     * @param region a valid region (not a window) that grants {@link Access#MW_BIND}
     * @param streamId the one stream that may use it, or 0 for every stream of the region's domain
     * @param offset first octet, counted from the region's first
     * @param length octets
     * @param baseOffset tagged offset of the window's first octet, an unsigned number of 64 bits
     * @param access bits of {@link Access} for peers
     * @throws IllegalArgumentException if the range does not lie within the region or would reach 2^64, or the region
     *     does not allow it
     */
    public synchronized TaggedBuffer prepareWindow(
            TaggedBuffer region, long streamId, long offset, long length, long baseOffset, int access) {
        checkAccess(access);
        checkOffsets(baseOffset, length);
        if (region.region() != null || !region.valid() || !region.allows(Access.MW_BIND)) {
            throw new IllegalArgumentException("A window needs a valid region that grants MW_BIND, not " + region);
        }
        if (offset < 0 || length < 0 || offset > region.length() - length) {
            throw new IllegalArgumentException(
                    "The window of " + length + " bytes from byte " + offset + " does not lie within " + region);
        }
        // RFC 5041 §8.3 (4): memory is opened to peers no further than its owner has access itself.
        if ((access & Access.WRITES) != 0 && !region.allows(Access.LOCAL_WRITE)) {
            throw new IllegalArgumentException("A window that lets peers write needs a region with LOCAL_WRITE");
        }
        TaggedBuffer.Part part = new TaggedBuffer.Part(region.memoryOffset() + offset, length);
        return new TaggedBuffer(nextFree(), region, part, streamId, baseOffset, access);
    }

    /**
     * Registers a window that was prepared here. Once; a window that is deregistered stays so.
     *
     * @return false if it is not valid (any more), or the limit of the table is reached
     */
    public synchronized boolean bind(TaggedBuffer window) {
        if (!window.valid() || inUse >= limit || find(window.stag()) != null) {
            return false;
        }
        insert(window);
        return true;
    }

    /** Makes a window and registers it at once: {@link #prepareWindow}, then {@link #bind}. */
    public synchronized TaggedBuffer registerWindow(
            TaggedBuffer region, long streamId, long offset, long length, long baseOffset, int access) {
        checkRoom();
        return insert(prepareWindow(region, streamId, offset, length, baseOffset, access));
    }

    /** {@return the buffer registered under this STag, valid or not; null if there is none} No lock, no allocation. */
    public @Nullable TaggedBuffer find(int stag) {
        AtomicReferenceArray<@Nullable TaggedBuffer> current = slots;
        int mask = current.length() - 1;
        for (int i = slot(stag, mask); ; i = (i + 1) & mask) {
            TaggedBuffer buffer = current.getAcquire(i);
            if (buffer == null) {
                return null;
            }
            if (buffer.stag() == stag && buffer != GONE) {
                return buffer;
            }
        }
    }

    /**
     * Takes the validity of a buffer away; it stays registered, and its STag taken, until {@link #deregister}. See
     * {@link TaggedBuffer} for what may still be in progress. Idempotent.
     */
    public void invalidate(TaggedBuffer buffer) {
        buffer.invalidate();
    }

    /**
     * Invalidates a buffer and forgets it. The windows of a region become invalid with it, and stay registered until
     * they are deregistered themselves.
     *
     * @return false if it was not registered here (any more)
     */
    public synchronized boolean deregister(TaggedBuffer buffer) {
        buffer.invalidate();
        AtomicReferenceArray<@Nullable TaggedBuffer> current = slots;
        int mask = current.length() - 1;
        for (int i = slot(buffer.stag(), mask); ; i = (i + 1) & mask) {
            TaggedBuffer found = current.getPlain(i);
            if (found == null) {
                return false;
            }
            if (found == buffer) {
                current.setRelease(i, GONE);
                inUse--;
                return true;
            }
        }
    }

    /** {@return buffers registered now} */
    public synchronized int size() {
        return inUse;
    }

    private void checkRoom() {
        // SEC-6.4.1-1: STags are given out here alone, and no more than this.
        if (inUse >= limit) {
            throw new IllegalStateException("All " + limit + " STags are in use: deregister memory or raise the limit");
        }
    }

    private TaggedBuffer newRegion(int stag, long domain, ByteBuffer memory, long baseOffset, int access) {
        checkAccess(access);
        checkOffsets(baseOffset, memory.remaining());
        checkWritable(memory, access);
        // A view of our own: whatever its owner does to position, limit and order cannot make a checked put fail.
        return new TaggedBuffer(stag, domain, baseOffset, access, memory.slice());
    }

    private static void checkWritable(ByteBuffer memory, int access) {
        if (memory.isReadOnly() && (access & Access.WRITES) != 0) {
            throw new IllegalArgumentException("Read-only memory cannot be registered for writing");
        }
    }

    private static void checkAccess(int access) {
        if ((access & ~Access.ALL) != 0) {
            throw new IllegalArgumentException("Unknown access bits 0x" + Integer.toHexString(access & ~Access.ALL));
        }
    }

    private static void checkOffsets(long baseOffset, long length) {
        // RFC 5041 §7.1 (5): TO + length must not wrap, and at exactly 2^64 the sum is 0; so ranges end below it.
        if (baseOffset != 0 && Long.compareUnsigned(baseOffset, -length) >= 0 && length > 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%d bytes from tagged offset 0x%x reach 2^64: choose a lower base",
                    length,
                    baseOffset));
        }
    }

    private int nextFree() {
        int stag = sequence.next();
        while (stag == NO_STAG || find(stag) != null) {
            stag = sequence.next();
        }
        return stag;
    }

    private TaggedBuffer insert(TaggedBuffer buffer) {
        AtomicReferenceArray<@Nullable TaggedBuffer> current = slots;
        if (notEmpty >= current.length() / 2) {
            current = rebuilt(current);
            slots = current;
        }
        put(current, buffer);
        inUse++;
        return buffer;
    }

    /** Copies what is in use into a fresh array, at most a quarter full. */
    private AtomicReferenceArray<@Nullable TaggedBuffer> rebuilt(AtomicReferenceArray<@Nullable TaggedBuffer> old) {
        int size = SMALLEST;
        while (size / 4 <= inUse) {
            size *= 2;
        }
        AtomicReferenceArray<@Nullable TaggedBuffer> fresh = new AtomicReferenceArray<>(size);
        notEmpty = 0;
        for (int i = 0; i < old.length(); i++) {
            TaggedBuffer buffer = old.getPlain(i);
            if (buffer != null && buffer != GONE) {
                put(fresh, buffer);
            }
        }
        return fresh;
    }

    private void put(AtomicReferenceArray<@Nullable TaggedBuffer> array, TaggedBuffer buffer) {
        int mask = array.length() - 1;
        int i = slot(buffer.stag(), mask);
        while (array.getPlain(i) != null) {
            i = (i + 1) & mask;
        }
        array.setRelease(i, buffer);
        notEmpty++;
    }

    /** {@return where the probing for {@code stag} begins} STags of our own are spread already; chosen ones are not. */
    private static int slot(int stag, int mask) {
        int mixed = stag * 0x9e3779b9;
        return (mixed ^ mixed >>> 16) & mask;
    }

    private static TaggedBuffer gone() {
        TaggedBuffer gone = new TaggedBuffer(NO_STAG, 0, 0, 0, ByteBuffer.allocate(0));
        gone.invalidate();
        return gone;
    }
}
