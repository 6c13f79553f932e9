package dev.jwarp.io;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The items of a loop with sockets. Adding, removing and iterating allocate only to grow. Owner only. */
@SuppressWarnings("ReferenceEquality") // identity
public final class LoopItems {
    private @Nullable LoopItem[] items = new LoopItem[16];
    private int size;

    LoopItems() {}

    /** {@return the number of items} */
    public int size() {
        return size;
    }

    LoopItem get(int index) {
        return Objects.requireNonNull(items[index]);
    }

    /** Adds an item that is not in the list. */
    public void add(LoopItem item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        item.place = size;
        items[size++] = item;
    }

    /**
     * Removes an item; no effect if it is not in the list. The last item takes its place, so an iteration from the end
     * misses none.
     */
    public void remove(LoopItem item) {
        if (item.place < 0) {
            return;
        }
        LoopItem last = get(--size);
        items[size] = null;
        if (last != item) {
            items[item.place] = last;
            last.place = item.place;
        }
        item.place = -1;
    }
}
