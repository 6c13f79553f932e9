package dev.jwarp.sockets.connection;

import dev.jwarp.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;

/** Regions that are used no more, and are to be closed where the thread that drives the context is not kept waiting. Any thread. */
final class UnusedRegions implements AutoCloseable {
    /** Guarded by itself. */
    private final List<MemoryRegion> regions = new ArrayList<>();

    void add(MemoryRegion region) {
        synchronized (regions) {
            regions.add(region);
        }
    }

    /** Closes them. Under no lock that the thread which drives the context may want: it is waited for. */
    @Override
    public void close() {
        closeAll();
    }

    /** {@return how many bytes they had} As {@link #close}. */
    long closeAll() {
        List<MemoryRegion> all;
        synchronized (regions) {
            if (regions.isEmpty()) {
                return 0;
            }
            all = List.copyOf(regions);
            regions.clear();
        }
        long bytes = 0;
        for (MemoryRegion region : all) {
            bytes += region.length();
            region.close();
        }
        return bytes;
    }
}
