package dev.jwarp.rnic.completion;

import dev.jwarp.verbs.ValidityMap;
import java.util.Arrays;

/** A validity map as a list of ranges, for maps that are rarely queried. One thread at a time. */
public final class RangeValidity implements ValidityMap {
    private final long length;

    /** Begin and end of each range, in ascending order, with gaps between ranges. */
    private long[] bounds = new long[8];

    private int count;
    private long octets;

    /** A map of {@code length} bytes, none of which are valid. */
    public RangeValidity(long length) {
        this.length = length;
    }

    /** Adds a range, which may overlap other ranges. */
    public void add(long offset, long added) {
        long begin = offset;
        long end = offset + added;
        int first = 0;
        while (first < count && bounds[2 * first + 1] < begin) {
            first++;
        }
        int behind = first;
        while (behind < count && bounds[2 * behind] <= end) {
            begin = Math.min(begin, bounds[2 * behind]);
            end = Math.max(end, bounds[2 * behind + 1]);
            octets -= bounds[2 * behind + 1] - bounds[2 * behind];
            behind++;
        }
        if (2 * count == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * bounds.length);
        }
        System.arraycopy(bounds, 2 * behind, bounds, 2 * first + 2, 2 * (count - behind));
        count += 1 - (behind - first);
        bounds[2 * first] = begin;
        bounds[2 * first + 1] = end;
        octets += end - begin;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long validBytes() {
        return octets;
    }

    @Override
    public long nextValid(long offset) {
        for (int i = 0; i < count; i++) {
            if (offset < bounds[2 * i + 1]) {
                return Math.max(offset, bounds[2 * i]);
            }
        }
        return length;
    }

    @Override
    public long nextMissing(long offset) {
        for (int i = 0; i < count; i++) {
            if (offset < bounds[2 * i]) {
                return offset;
            }
            if (offset < bounds[2 * i + 1]) {
                return bounds[2 * i + 1];
            }
        }
        return Math.min(offset, length);
    }

    @Override
    public int granule() {
        return 1;
    }

    @Override
    public int copyTo(long[] words) {
        int all = (int) Math.min(Integer.MAX_VALUE, (length + Long.SIZE - 1) / Long.SIZE);
        Arrays.fill(words, 0, Math.min(all, words.length), 0);
        long most = Math.min(length, (long) words.length * Long.SIZE);
        for (long at = nextValid(0); at < most; at = nextValid(at + 1)) {
            words[(int) (at / Long.SIZE)] |= 1L << at;
        }
        return all;
    }

    @Override
    public String toString() {
        return octets + " of " + length + " bytes in " + count + " ranges";
    }
}
