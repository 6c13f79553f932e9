package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Regions that are no longer used, and wait to be closed where that does not delay the thread that drives the context. Any thread. */
final class UnusedRegions implements AutoCloseable {
    /** Each write looks here, and mostly finds nothing: that look takes no lock. */
    private final Queue<MemoryRegion> regions = new ConcurrentLinkedQueue<>();

    void add(MemoryRegion region) {
        regions.add(region);
    }

    /** Closes them. Under no lock that the thread which drives the context may want: it is waited for. */
    @Override
    public void close() {
        closeAll();
    }

    /** {@return how many bytes they had} As {@link #close}. */
    long closeAll() {
        long bytes = 0;
        for (MemoryRegion region = regions.poll(); region != null; region = regions.poll()) {
            bytes += region.length();
            region.close();
        }
        return bytes;
    }
}
