package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Views of the buffers that a batch gathers payload from. A gathering write wants a {@code ByteBuffer} of its own for
 * every piece, and a view of one buffer cannot be made to show another, so views are kept and used again: a stack of
 * them for each of the last source buffers. As long as no more than {@link #MAX_SOURCES} are in use, nothing is allocated
 * in steady state.
 *
 * <p>A view keeps its source's memory alive. Therefore the number of sources is bounded, and a source that has not been
 * used for {@link #IDLE_BATCHES} batches is dropped.
 */
@SuppressWarnings("ReferenceEquality") // a source is this very buffer, not one with the same contents
final class GatherViews {
    /** Sources remembered at the same time; beyond that, views are made anew. */
    static final int MAX_SOURCES = 64;

    /** Batches after which the views of an unused source are dropped. */
    static final int IDLE_BATCHES = 256;

    private static final int FIRST_VIEWS = 4;

    private final @Nullable ByteBuffer[] sources = new ByteBuffer[MAX_SOURCES];
    private final @Nullable ByteBuffer[][] views = new ByteBuffer[MAX_SOURCES][FIRST_VIEWS];

    /** How many views of a source the current batch uses. */
    private final int[] used = new int[MAX_SOURCES];

    private final long[] lastBatch = new long[MAX_SOURCES];
    private long batch;
    private int latest;

    /** Sources that are remembered. */
    private int known;

    /** {@return a view of the whole of {@code source} that no other piece of this batch uses} */
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

    /** All views of the batch are free again; sources that have been idle for long are forgotten. */
    void nextBatch() {
        batch++;
        if (known == 0) {
            return; // batches of short payload gather nothing
        }
        Arrays.fill(used, 0);
        int slot = (int) (batch % MAX_SOURCES); // one a batch: cheap, and each comes around in time
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

    /** {@return how many sources are kept alive by views} */
    int sources() {
        int count = 0;
        for (ByteBuffer source : sources) {
            count += source == null ? 0 : 1;
        }
        return count;
    }

    /** Finds the slot of a source, or takes the one that was unused for longest; views in use stay what they are. */
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

    /** Drops the views of a slot; those that the batch uses live on until it is written. */
    private void forget(int slot) {
        known -= sources[slot] == null ? 0 : 1;
        sources[slot] = null;
        Arrays.fill(views[slot], null);
        used[slot] = 0;
        lastBatch[slot] = -1;
    }
}
