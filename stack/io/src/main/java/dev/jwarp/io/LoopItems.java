package dev.jwarp.io;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The items of a loop that have sockets: adding, removing and walking them allocates nothing but to grow. Owner only. */
@SuppressWarnings("ReferenceEquality") // that very one
public final class LoopItems {
    private @Nullable LoopItem[] items = new LoopItem[16];
    private int size;

    LoopItems() {}

    /** {@return how many there are} */
    public int size() {
        return size;
    }

    LoopItem get(int index) {
        return Objects.requireNonNull(items[index]);
    }

    /** Adds one that is not there. */
    public void add(LoopItem item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        item.place = size;
        items[size++] = item;
    }

    /** Does nothing if it is not there. The last one takes its place: a walk of the list from its end misses none. */
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
