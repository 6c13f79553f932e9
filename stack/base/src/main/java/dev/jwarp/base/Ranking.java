package dev.jwarp.base;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entries ordered by size class, where each class doubles the size, and within a class by the time of their last
 * progress. All operations take constant time. Owner thread only; allocates when a rank is reached for the first time.
 *
 * @param <T> the members
 */
final class Ranking<T> {
    static final int NONE = -1;
    static final int RANKS = 16;

    /**
     * The oldest and the newest entry of each rank, up to the highest rank used so far: most sources have one rank
     * only.
     */
    private @Nullable Place<T>[] ends = array(2);

    /** A bit for each rank that is not empty. */
    private int used;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static <T> @Nullable Place<T>[] array(int length) {
        return new Place[length];
    }

    /** {@return the rank of a size: 0 up to {@code base}, plus 1 for each doubling} */
    static int rank(long size, long base) {
        if (size <= base) {
            return 0;
        }
        long times = base == 0 ? size : (size - 1) / base;
        return Math.min(RANKS - 1, Long.SIZE - Long.numberOfLeadingZeros(times));
    }

    /** {@return the highest rank of all members; {@link #NONE} if there is no member} */
    int highest() {
        return highestBelow(RANKS);
    }

    /** {@return the highest rank of a member below that one; {@link #NONE} if there is none} */
    int highestBelow(int rank) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(used & ((1 << rank) - 1));
    }

    /** {@return the member of that rank that is without progress for the longest time, except {@code not}} */
    @Nullable
    T oldest(int rank, T not) {
        Place<T> first = ends[2 * rank];
        if (first != null && first.of == not) {
            first = first.newer;
        }
        return first == null ? null : first.of;
    }

    /** Sets the size class of a member; {@link #NONE} removes it. */
    void put(Place<T> place, int rank) {
        if (place.rank != rank) {
            grow(rank); // the only point that may throw
            cut(place);
            append(place, rank);
        }
    }

    /** Allocates the memory for that rank in advance. */
    void grow(int rank) {
        if (2 * rank >= ends.length) {
            ends = Arrays.copyOf(ends, 2 * (rank + 1));
        }
    }

    /** Makes the member the newest of its rank. */
    void renew(Place<T> place) {
        if (place.newer != null) {
            int rank = place.rank;
            cut(place);
            append(place, rank);
        }
    }

    /** Makes the member the oldest of its rank. */
    void age(Place<T> place) {
        if (place.older != null) {
            int rank = place.rank;
            cut(place);
            Place<T> first = ends[2 * rank];
            place.rank = rank;
            place.newer = first;
            ends[2 * rank] = place;
            if (first != null) { // always: it was not alone
                first.older = place;
            }
        }
    }

    private void append(Place<T> place, int rank) {
        place.rank = rank;
        if (rank == NONE) {
            return;
        }
        Place<T> last = ends[2 * rank + 1];
        place.older = last;
        ends[2 * rank + 1] = place;
        if (last == null) {
            ends[2 * rank] = place;
            used |= 1 << rank;
        } else {
            last.newer = place;
        }
    }

    private void cut(Place<T> place) {
        int rank = place.rank;
        if (rank == NONE) {
            return;
        }
        Place<T> older = place.older;
        Place<T> newer = place.newer;
        if (older == null) {
            ends[2 * rank] = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            ends[2 * rank + 1] = older;
        } else {
            newer.older = older;
        }
        if (ends[2 * rank] == null) {
            used &= ~(1 << rank);
        }
        place.older = null;
        place.newer = null;
        place.rank = NONE;
    }
}
