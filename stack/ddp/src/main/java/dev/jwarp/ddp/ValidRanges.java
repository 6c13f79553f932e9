package dev.jwarp.ddp;

/**
 * Which octets of a message have been placed: a set of octet positions as a bounded number of disjoint, ascending,
 * non-touching ranges. Reused; one thread at a time; allocates nothing after its creation.
 */
public final class ValidRanges {
    private final int[] from;
    private final int[] to;
    private int count;

    /**
     * Creates an empty set.
     *
     * @param limit ranges it can hold
     */
    public ValidRanges(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("A set of ranges holds 1 or more, not " + limit);
        }
        from = new int[limit];
        to = new int[limit];
    }

    /**
     * Adds the octets from {@code begin} (included) to {@code end} (excluded).
     *
     * @return false if that would need more ranges than there may be; the set is unchanged then
     */
    public boolean add(int begin, int end) {
        if (begin < 0 || begin > end) {
            throw new IllegalArgumentException("No range: " + begin + " to " + end);
        }
        if (begin == end) {
            return true;
        }
        // first: the first range that ends at or behind begin; behind: the first that begins behind end.
        int first = 0;
        while (first < count && to[first] < begin) {
            first++;
        }
        int behind = first;
        while (behind < count && from[behind] <= end) {
            behind++;
        }
        if (first == behind) {
            return insert(first, begin, end);
        }
        from[first] = Math.min(from[first], begin);
        to[first] = Math.max(to[behind - 1], end);
        remove(first + 1, behind);
        return true;
    }

    private boolean insert(int at, int begin, int end) {
        if (count == from.length) {
            return false;
        }
        System.arraycopy(from, at, from, at + 1, count - at);
        System.arraycopy(to, at, to, at + 1, count - at);
        from[at] = begin;
        to[at] = end;
        count++;
        return true;
    }

    private void remove(int begin, int end) {
        System.arraycopy(from, end, from, begin, count - end);
        System.arraycopy(to, end, to, begin, count - end);
        count -= end - begin;
    }

    /** {@return true if every octet from {@code begin} (included) to {@code end} (excluded) is in the set} */
    public boolean contains(int begin, int end) {
        if (begin >= end) {
            return true;
        }
        for (int i = 0; i < count && from[i] <= begin; i++) {
            if (end <= to[i]) {
                return true;
            }
        }
        return false;
    }

    /** {@return one more than the highest octet of the set; 0 if it is empty} */
    public int end() {
        return count == 0 ? 0 : to[count - 1];
    }

    /** {@return how many ranges it takes to describe the set} */
    public int count() {
        return count;
    }

    /** Empties the set. */
    public void clear() {
        count = 0;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ", ").append(from[i]).append("..").append(to[i]);
        }
        return text.append('}').toString();
    }
}
