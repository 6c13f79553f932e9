package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A queue of unused regions, which are closed later, when that does not delay the thread that drives the context. Any
 * thread.
 */
final class UnusedRegions implements AutoCloseable {
    /** Lock-free, because each write checks the queue, which is usually empty. */
    private final Queue<MemoryRegion> regions = new ConcurrentLinkedQueue<>();

    void add(MemoryRegion region) {
        regions.add(region);
    }

    /**
     * Closes the regions. Not under a lock that the thread which drives the context may need: the call waits for that
     * thread.
     */
    @Override
    public void close() {
        closeAll();
    }

    /** {@return the number of bytes of the closed regions} As {@link #close}. */
    long closeAll() {
        long bytes = 0;
        for (MemoryRegion region = regions.poll(); region != null; region = regions.poll()) {
            bytes += region.length();
            region.close();
        }
        return bytes;
    }
}
