package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reusable views of the buffers that a batch gathers payload from. A gathering write needs a separate
 * {@code ByteBuffer} for every piece, and a view cannot be moved to another buffer, so each of the last source buffers
 * has a stack of views. While at most {@link #MAX_SOURCES} sources are in use, nothing is allocated in steady state.
 *
 * <p>A view keeps the memory of its source alive. So the number of sources is bounded, and a source that is unused for
 * {@link #IDLE_BATCHES} batches is dropped.
 */
@SuppressWarnings("ReferenceEquality") // identity comparison: not a buffer with equal content
final class GatherViews {
    /** Maximum number of remembered sources; further ones get new views. */
    static final int MAX_SOURCES = 64;

    /** Batches after which the views of an unused source are dropped. */
    static final int IDLE_BATCHES = 256;

    private static final int FIRST_VIEWS = 4;

    private final @Nullable ByteBuffer[] sources = new ByteBuffer[MAX_SOURCES];
    private final @Nullable ByteBuffer[][] views = new ByteBuffer[MAX_SOURCES][FIRST_VIEWS];

    /** Number of views of a source in use by the current batch. */
    private final int[] used = new int[MAX_SOURCES];

    private final long[] lastBatch = new long[MAX_SOURCES];
    private long batch;
    private int latest;

    /** Number of remembered sources. */
    private int known;

    /** {@return a view of the whole {@code source} that is unused in this batch} */
    ByteBuffer take(ByteBuffer source) {
        if (sources[latest] != source) {
            latest = find(source);
        }
        int slot = latest;
        lastBatch[slot] = batch;
        int next = used[slot]++;
        if (next == views[slot].length) {
            views[slot] = Arrays.copyOf(views[slot], 2 * next);
        }
        ByteBuffer view = views[slot][next];
        if (view == null) {
            view = source.duplicate();
            views[slot][next] = view;
        }
        return view.clear();
    }

    /** Frees all views of the batch and forgets idle sources. */
    void nextBatch() {
        batch++;
        if (known == 0) {
            return; // batches of short payload gather nothing
        }
        Arrays.fill(used, 0);
        int slot = (int) (batch % MAX_SOURCES); // one per batch: cheap, and each is checked in time
        if (sources[slot] != null && batch - lastBatch[slot] > IDLE_BATCHES) {
            forget(slot);
        }
    }

    /** Forgets every source. */
    void clear() {
        for (int slot = 0; slot < MAX_SOURCES; slot++) {
            forget(slot);
        }
    }

    /** {@return the number of sources that views keep alive} */
    int sources() {
        int count = 0;
        for (ByteBuffer source : sources) {
            count += source == null ? 0 : 1;
        }
        return count;
    }

    /** Finds the slot of a source, or reuses the slot that is unused for longest; views in use are not changed. */
    private int find(ByteBuffer source) {
        int oldest = 0;
        for (int slot = 0; slot < MAX_SOURCES; slot++) {
            if (sources[slot] == source) {
                return slot;
            }
            if (lastBatch[slot] < lastBatch[oldest]) {
                oldest = slot;
            }
        }
        forget(oldest);
        sources[oldest] = source;
        known++;
        return oldest;
    }

    /** Drops the views of a slot; those in use by the batch stay valid until it is written. */
    private void forget(int slot) {
        known -= sources[slot] == null ? 0 : 1;
        sources[slot] = null;
        Arrays.fill(views[slot], null);
        used[slot] = 0;
        lastBatch[slot] = -1;
    }
}
