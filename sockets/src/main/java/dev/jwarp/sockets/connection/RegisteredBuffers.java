package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct buffers of the program that come again: the second time one is registered, and stays so until others have taken its place, or the stream ends. A buffer that came
 * once is not kept from being freed.
 */
@SuppressWarnings("ReferenceEquality") // equal bytes are not the same memory
final class RegisteredBuffers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RegisteredBuffers.class);

    /** How many there are at a time. */
    static final int MOST = 8;
    /** What is kept from being freed by one stream. */
    private static final long MOST_BYTES = 1 << 26;

    private final ProtectionDomain domain;
    private final @Nullable WeakReference<ByteBuffer>[] seen = newArray();
    private final @Nullable ByteBuffer[] buffers = new @Nullable ByteBuffer[MOST];
    private final @Nullable MemoryRegion[] regions = new @Nullable MemoryRegion[MOST];
    private long bytes;
    private final UnusedRegions forgotten = new UnusedRegions();
    private int nextSeen;
    private int oldest;

    RegisteredBuffers(ProtectionDomain domain) {
        this.domain = domain;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    private static @Nullable WeakReference<ByteBuffer>[] newArray() {
        return new WeakReference[MOST];
    }

    /**
     * {@return the region of a buffer, from its byte 0 to its capacity; null: it has none yet} Nothing that was posted with a region of another call may be under way.
     *
     * @param buffer direct
     */
    @Nullable
    MemoryRegion find(ByteBuffer buffer) {
        for (int i = 0; i < MOST; i++) {
            if (buffers[i] == buffer) {
                return regions[i];
            }
        }
        return buffer.capacity() <= MOST_BYTES && cameBefore(buffer) ? register(buffer) : null;
    }

    private boolean cameBefore(ByteBuffer buffer) {
        for (WeakReference<ByteBuffer> one : seen) {
            if (one != null && one.get() == buffer) {
                return true;
            }
        }
        seen[nextSeen] = new WeakReference<>(buffer);
        nextSeen = (nextSeen + 1) % MOST;
        return false;
    }

    private @Nullable MemoryRegion register(ByteBuffer buffer) {
        while (buffers[oldest] != null || bytes + buffer.capacity() > MOST_BYTES) {
            forget(oldest);
            oldest = (oldest + 1) % MOST;
        }
        MemoryRegion region;
        try {
            region = domain.register(buffer.duplicate().clear());
        } catch (RdmaException e) {
            LOG.debug("A buffer of {} bytes is copied instead", buffer.capacity(), e);
            return null;
        }
        buffers[oldest] = buffer;
        regions[oldest] = region;
        bytes += buffer.capacity();
        oldest = (oldest + 1) % MOST;
        return region;
    }

    private void forget(int index) {
        MemoryRegion region = regions[index];
        if (region != null) {
            bytes -= region.length();
            forgotten.add(region);
        }
        regions[index] = null;
        buffers[index] = null;
    }

    /** Closes the regions of those that have had to give way. Any thread, but under no lock that the thread which drives the context may want: it is waited for. */
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
}
