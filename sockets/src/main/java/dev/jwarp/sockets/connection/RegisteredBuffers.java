package dev.jwarp.sockets.connection;

import dev.jwarp.base.Tally;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct buffers that the program uses repeatedly. A buffer is registered at its second use, and stays registered until
 * other buffers displace it or the stream ends. Slices and duplicates count as the buffer if {@link DirectAddress} is
 * known. A buffer that was used once can still be collected.
 */
@SuppressWarnings("ReferenceEquality") // equal bytes are not the same memory
final class RegisteredBuffers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegisteredBuffers.class);

    /** Counters of streams, in addition to those of their context. */
    enum Counter {
        BUFFERS_KNOWN(
                "Parts of writes whose direct buffer, or the buffer of which it is a slice or a duplicate, was registered already."),
        BUFFERS_REGISTERED("Direct buffers that were registered, because a second write used them."),
        BUFFERS_UNKNOWN(
                "Parts of writes that were copied, because their direct buffer was new, too large, or could not be registered.");

        private final String sentence;

        Counter(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** Maximum of buffers that one stream keeps registered. */
    static final int MOST = 8;
    /** Maximum of bytes of buffers that one stream keeps registered. */
    private static final long MOST_BYTES = 1 << 26;

    private final ProtectionDomain domain;
    private final Tally<Counter> counts;
    private final @Nullable WeakReference<ByteBuffer>[] seen = newArray();
    /** The addresses of {@link #seen} buffers, if known; other memory may have them by now. */
    private final long[] seenAt = new long[MOST];

    private final @Nullable RegisteredBuffer[] buffers = new @Nullable RegisteredBuffer[MOST];
    private long bytes;
    private final UnusedRegions forgotten = new UnusedRegions();
    private int nextSeen;
    private int oldest;

    RegisteredBuffers(ProtectionDomain domain, Tally<Counter> counts) {
        this.domain = domain;
        this.counts = counts;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    private static @Nullable WeakReference<ByteBuffer>[] newArray() {
        return new WeakReference[MOST];
    }

    /**
     * {@return the registered buffer of a buffer, a slice or a duplicate; null if none is registered} No request that
     * uses a region of an earlier call may be outstanding.
     *
     * @param buffer direct
     */
    @Nullable
    RegisteredBuffer find(ByteBuffer buffer) {
        RegisteredBuffer known = known(buffer);
        if (known != null) {
            counts.countShared(Counter.BUFFERS_KNOWN);
            return known;
        }
        RegisteredBuffer fresh = buffer.capacity() <= MOST_BYTES && cameBefore(buffer) ? register(buffer) : null;
        counts.countShared(fresh == null ? Counter.BUFFERS_UNKNOWN : Counter.BUFFERS_REGISTERED);
        return fresh;
    }

    private @Nullable RegisteredBuffer known(ByteBuffer buffer) {
        for (RegisteredBuffer one : buffers) {
            if (one != null && one.is(buffer)) {
                return one;
            }
        }
        long address = DirectAddress.of(buffer);
        for (RegisteredBuffer one : buffers) {
            if (one != null && one.contains(buffer, address)) {
                return one;
            }
        }
        return null;
    }

    private boolean cameBefore(ByteBuffer buffer) {
        long address = DirectAddress.of(buffer);
        for (int i = 0; i < MOST; i++) {
            WeakReference<ByteBuffer> one = seen[i];
            if (one != null && (one.get() == buffer || (address != DirectAddress.UNKNOWN && seenAt[i] == address))) {
                return true;
            }
        }
        seen[nextSeen] = new WeakReference<>(buffer);
        seenAt[nextSeen] = address;
        nextSeen = (nextSeen + 1) % MOST;
        return false;
    }

    private @Nullable RegisteredBuffer register(ByteBuffer buffer) {
        while (buffers[oldest] != null || bytes + buffer.capacity() > MOST_BYTES) {
            forget(oldest);
            oldest = (oldest + 1) % MOST;
        }
        RegisteredBuffer one;
        try {
            one = new RegisteredBuffer(
                    buffer, domain.register(buffer.duplicate().clear()), DirectAddress.of(buffer));
        } catch (RdmaException e) {
            LOG.debug("A buffer of {} bytes is copied instead", buffer.capacity(), e);
            return null;
        }
        buffers[oldest] = one;
        bytes += buffer.capacity();
        oldest = (oldest + 1) % MOST;
        return one;
    }

    private void forget(int index) {
        RegisteredBuffer one = buffers[index];
        if (one != null) {
            bytes -= one.region().length();
            forgotten.add(one.region());
        }
        buffers[index] = null;
    }

    /**
     * Closes the regions of displaced buffers. Any thread, but not under a lock that the thread which drives the
     * context may need: the call waits for that thread.
     */
    void closeForgotten() {
        forgotten.close();
    }

    @Override
    public void close() {
        for (int i = 0; i < MOST; i++) {
            forget(i);
        }
        closeForgotten();
    }

    /** A direct buffer of the program that is registered from byte 0 to its capacity. */
    @SuppressWarnings("ReferenceEquality") // equal bytes are not the same memory
    static final class RegisteredBuffer {
        /**
         * Keeps memory of {@link ByteBuffer#allocateDirect} from being freed, so that no other memory gets its address.
         * Memory of an arena is kept by the open arena.
         */
        private final ByteBuffer buffer;

        private final MemoryRegion region;
        private final long address;
        private final ByteBuffer all;

        RegisteredBuffer(ByteBuffer buffer, MemoryRegion region, long address) {
            this.buffer = buffer;
            this.region = region;
            this.address = address;
            all = buffer.duplicate().clear();
        }

        MemoryRegion region() {
            return region;
        }

        boolean is(ByteBuffer other) {
            return buffer == other;
        }

        /** {@return whether the other buffer lies in the memory of this buffer} */
        boolean contains(ByteBuffer other, long otherAddress) {
            return address != DirectAddress.UNKNOWN
                    && otherAddress >= address
                    && otherAddress - address <= (long) buffer.capacity() - other.capacity();
        }

        /**
         * {@return the whole registered memory as a buffer with the position and the limit of the other buffer} Each
         * call returns the same object.
         *
         * @param other the buffer itself, or {@link #contains contained}
         */
        ByteBuffer at(ByteBuffer other) {
            int offset = is(other) ? 0 : (int) (DirectAddress.of(other) - address);
            return all.limit(offset + other.limit()).position(offset + other.position());
        }
    }
}
