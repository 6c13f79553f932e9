package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import org.jspecify.annotations.Nullable;

/**
 * What one channel has received behind a gap: datagrams by PSN, and a bit for each, from which SACK words are cut. There is memory
 * only for the words that have a bit: one datagram far ahead costs no more than a near one. The datagram expected next stands
 * apart: it is here only while the layer above has no room for it. Owner thread only.
 */
final class Stash {
    /** The datagrams of one word. */
    static final class Row {
        final @Nullable StashSlot[] slots = new StashSlot[Long.SIZE];

        /** Its place in the pool. */
        @Nullable
        Row nextFree;
    }

    /** As many behind a gap make sure that it is a loss: what comes then is no news. */
    private static final int TOLD = 4;

    /** Its place in the pool. */
    @Nullable
    Stash nextFree;

    /** The datagram expected next, if the layer above is not ready for it. */
    @Nullable
    StashSlot head;

    private final StashPool pool;
    // By PSN modulo 64 times their number, most significant bit first, as in SACK words.
    private final @Nullable Row[] rows;
    private final long[] bits;
    private int count;

    /** The PSN farthest ahead, if any is. */
    private int farthest;

    /** For so many PSNs ahead. */
    Stash(StashPool pool, int window) {
        this.pool = pool;
        int size = Math.max(Long.SIZE, Integer.highestOneBit(Math.max(1, window - 1)) << 1);
        rows = new Row[size / Long.SIZE];
        bits = new long[size / Long.SIZE];
    }

    private int word(int psn) {
        return (psn >>> 6) & (bits.length - 1);
    }

    /** {@return whether nothing is kept} */
    boolean isEmpty() {
        return count == 0 && head == null;
    }

    boolean has(int psn) {
        return (bits[word(psn)] & (Long.MIN_VALUE >>> psn)) != 0;
    }

    /** {@return whether it would be the one farthest ahead} */
    boolean isFarthest(int psn) {
        return count == 0 || Psn.before(farthest, psn);
    }

    /** {@return whether it comes next after the farthest one, and several are kept already} */
    boolean follows(int psn) {
        return count >= TOLD && psn == farthest + 1;
    }

    /** Keeps a datagram that is 1 to window PSNs ahead of the one expected. */
    void keep(int psn, StashSlot slot) {
        int at = word(psn);
        Row row = rows[at];
        if (row == null) {
            row = pool.takeRow();
            rows[at] = row;
        }
        row.slots[psn & (Long.SIZE - 1)] = slot;
        bits[at] |= Long.MIN_VALUE >>> psn;
        if (isFarthest(psn)) {
            farthest = psn;
        }
        count++;
    }

    /** {@return the datagram with that PSN, which is taken out, or null} */
    @Nullable
    StashSlot take(int psn) {
        int at = word(psn);
        Row row = rows[at];
        if (row == null) {
            return null;
        }
        int in = psn & (Long.SIZE - 1);
        StashSlot slot = row.slots[in];
        if (slot != null) {
            row.slots[in] = null;
            count--;
            bits[at] &= ~(Long.MIN_VALUE >>> psn);
            if (bits[at] == 0) {
                rows[at] = null;
                pool.giveRow(row);
            }
        }
        return slot;
    }

    /** {@return how many words behind an Ack it takes to say everything} */
    int words(int ack) {
        return count == 0 ? 0 : ((Psn.distance(ack, farthest) - 1) >>> 6) + 1;
    }

    /**
     * Writes SACK words behind an Ack (datagram-iWARP §4.4, DG-4.4-6), without trailing zero words (DG-4.4-7).
     *
     * @param first where the words written begin
     * @param most how many they are at most
     * @return how many
     */
    int words(int ack, int first, int most, long[] out) {
        int used = 0;
        int end = Math.min(most, words(ack) - first);
        for (int word = 0; word < end; word++) {
            int from = ack + 1 + (first + word) * Long.SIZE;
            int shift = from & (Long.SIZE - 1);
            long value = bits[word(from)] << shift;
            if (shift != 0) {
                value |= bits[word(from + Long.SIZE)] >>> (Long.SIZE - shift);
            }
            out[word] = value;
            if (value != 0) {
                used = word + 1;
            }
        }
        return used;
    }

    /** Gives every datagram back. */
    void clear(@Nullable Share share) {
        StashSlot first = head;
        if (first != null) {
            pool.give(share, first);
            head = null;
        }
        for (int psn = 0; count > 0; psn++) {
            StashSlot slot = take(psn);
            if (slot != null) {
                pool.give(share, slot);
            }
        }
    }
}
