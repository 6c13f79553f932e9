package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.datagram.RangeConsumer;
import java.util.Arrays;

/**
 * Plans the Reads that fetch what is missing of a message: give it the holes in ascending order, then take the Reads. Holes
 * that lie closer together than one segment are read as one, because the octets between them cost less than another request;
 * and so are those that lie closest, while there are more Reads than places. One thread at a time; allocates as it grows.
 */
public final class MissingReads implements RangeConsumer {
    private final int granule;
    private final long longest;
    private long[] from = new long[8];
    private long[] to = new long[8];
    private int holes;

    /**
     * Creates an empty plan.
     *
     * @param granule octets of a segment
     * @param longest octets of the longest Read
     */
    public MissingReads(int granule, long longest) {
        if (granule < 1 || longest < 1) {
            throw new IllegalArgumentException(
                    "a segment and a Read have 1 octet at least, not " + granule + " and " + longest);
        }
        this.granule = granule;
        this.longest = longest;
    }

    /** Adds the next hole. */
    @Override
    public void range(long offset, long length) {
        if (holes > 0 && offset < to[holes - 1]) {
            throw new IllegalArgumentException("holes come in ascending order");
        }
        if (holes > 0 && offset - to[holes - 1] < granule) {
            to[holes - 1] = offset + length;
            return;
        }
        if (holes == from.length) {
            from = Arrays.copyOf(from, holes * 2);
            to = Arrays.copyOf(to, holes * 2);
        }
        from[holes] = offset;
        to[holes] = offset + length;
        holes++;
    }

    /** {@return how many Reads there are} */
    public int count() {
        long count = 0;
        for (int i = 0; i < holes; i++) {
            count += reads(i);
        }
        return (int) Math.min(Integer.MAX_VALUE, count);
    }

    private long reads(int hole) {
        return (to[hole] - from[hole] + longest - 1) / longest;
    }

    /**
     * Joins the holes that lie closest until there are no more Reads than places, or a single hole is left.
     *
     * @param places for Reads, 1 or more
     */
    public void fit(int places) {
        while (holes > 1 && count() > places) {
            int closest = 1;
            for (int i = 2; i < holes; i++) {
                if (from[i] - to[i - 1] < from[closest] - to[closest - 1]) {
                    closest = i;
                }
            }
            to[closest - 1] = to[closest];
            System.arraycopy(from, closest + 1, from, closest, holes - closest - 1);
            System.arraycopy(to, closest + 1, to, closest, holes - closest - 1);
            holes--;
        }
    }

    /** Hands over the Reads, in ascending order, each no longer than the longest. */
    public void forEach(RangeConsumer consumer) {
        for (int i = 0; i < holes; i++) {
            for (long at = from[i]; at < to[i]; at += longest) {
                consumer.range(at, Math.min(longest, to[i] - at));
            }
        }
    }
}
