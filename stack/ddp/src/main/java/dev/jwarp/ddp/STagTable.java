package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The STags of one device: registers memory and finds it by STag. Any thread; {@link #find} takes no lock and allocates
 * nothing.
 *
 * <p>STags come from a {@link STagSequence}: a peer cannot guess them, and a number is not reused within 2^32
 * registrations, so a stale STag is never taken for a new one (RFC 5041 §8.3 (2), DDP-8.3-1). STag 0 is never used.
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
     * @param randomness source of the key: a {@code SecureRandom}, or a seeded generator in simulations
     * @param limit maximum number of registered buffers
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
     * @param memory the memory from position to limit; later changes of position and limit have no effect. The owner
     *     keeps the memory valid until it is deregistered.
     * @param baseOffset tagged offset of the first byte, an unsigned number of 64 bits
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
     * Registers several buffers as one range with consecutive tagged offsets. Otherwise as
     * {@link #register(long, ByteBuffer, long, int)}.
     *
     * @param memory the buffers; the list may be empty, and so may buffers; later changes of the list have no effect
     * @throws IllegalArgumentException also if a buffer is read-only and access would change it
     */
    public synchronized TaggedBuffer register(long domain, List<ByteBuffer> memory, long baseOffset, int access) {
        List<ByteBuffer> parts =
                memory.stream().filter(ByteBuffer::hasRemaining).toList();
        if (parts.size() <= 1) { // as fast as a single buffer
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
     * Registers memory with an STag that the caller chooses: for memory that groups write to, whose members share the
     * STag (datagram-iWARP §G.4), and for tests. All other memory gets its STag from {@link #register}.
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
     * Creates a window of a region, with a new STag that is not found before {@link #bind}. So the STag of a posted
     * binding is known before the binding is carried out.
     *
     * @param region a valid region (not a window) that grants {@link Access#MW_BIND}
     * @param streamId the one stream that may use it, or 0 for every stream of the region's domain
     * @param offset first byte, counted from the region's first
     * @param length bytes
     * @param baseOffset tagged offset of the window's first byte, an unsigned number of 64 bits
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
        // RFC 5041 §8.3 (4): peers get no more access than the owner has.
        if ((access & Access.WRITES) != 0 && !region.allows(Access.LOCAL_WRITE)) {
            throw new IllegalArgumentException("A window that lets peers write needs a region with LOCAL_WRITE");
        }
        TaggedBuffer.Part part = new TaggedBuffer.Part(region.memoryOffset() + offset, length);
        return new TaggedBuffer(nextFree(), region, part, streamId, baseOffset, access);
    }

    /**
     * Registers a prepared window, once. A deregistered window cannot be registered again.
     *
     * @return false if the window is invalid, or the limit of the table is reached
     */
    public synchronized boolean bind(TaggedBuffer window) {
        if (!window.valid() || inUse >= limit || find(window.stag()) != null) {
            return false;
        }
        insert(window);
        return true;
    }

    /** Creates a window and registers it: {@link #prepareWindow}, then {@link #bind}. */
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
     * Invalidates a buffer. The buffer stays registered, and its STag in use, until {@link #deregister}.
     * {@link TaggedBuffer} describes accesses that may still be in progress. Idempotent.
     */
    public void invalidate(TaggedBuffer buffer) {
        buffer.invalidate();
    }

    /**
     * Invalidates a buffer and removes it. The windows of a region become invalid too, and stay registered until they
     * are deregistered themselves.
     *
     * @return false if the buffer is not registered here
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

    /** {@return the number of registered buffers} */
    public synchronized int size() {
        return inUse;
    }

    private void checkRoom() {
        // SEC-6.4.1-1: STags are only created here, up to this limit.
        if (inUse >= limit) {
            throw new IllegalStateException("All " + limit + " STags are in use: deregister memory or raise the limit");
        }
    }

    private TaggedBuffer newRegion(int stag, long domain, ByteBuffer memory, long baseOffset, int access) {
        checkAccess(access);
        checkOffsets(baseOffset, memory.remaining());
        checkWritable(memory, access);
        // A separate view: changes of position, limit and order by the owner cannot make a checked put fail.
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

    /** Copies the used slots to a new array, which is at most a quarter full. */
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

    /**
     * {@return the first slot to probe for {@code stag}} Generated STags are distributed evenly; chosen ones are not.
     */
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
