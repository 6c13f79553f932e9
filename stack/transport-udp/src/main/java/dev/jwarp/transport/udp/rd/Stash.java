package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import org.jspecify.annotations.Nullable;

/**
 * The reorder buffer of one channel: datagrams by PSN, and a bitmap for SACK words. Memory is allocated only for words
 * with a bit, so one datagram far ahead costs no more than a near one. The datagram expected next has a field of its
 * own, which is set only while the layer above has no room for it. Owner thread only.
 */
final class Stash {
    /** So many datagrams behind a gap prove a loss: further ones need no immediate ack. */
    private static final int TOLD = 4;

    /** The datagram expected next, if the layer above is not ready for it. */
    @Nullable
    StashSlot head;

    private final StashPool pool;
    // Indexed by PSN modulo 64 times their number, most significant bit first, as in SACK words. A row is one word.
    private final @Nullable StashSlot[] @Nullable [] rows;
    private final long[] bits;
    private int count;

    /** The PSN farthest ahead, if any is. */
    private int farthest;

    /** Creates an empty stash for {@code window} PSNs ahead. */
    Stash(StashPool pool, int window) {
        this.pool = pool;
        int size = Math.max(Long.SIZE, Integer.highestOneBit(Math.max(1, window - 1)) << 1);
        rows = new StashSlot[size / Long.SIZE][];
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

    /** {@return whether this PSN would be the farthest ahead} */
    boolean isFarthest(int psn) {
        return count == 0 || Psn.before(farthest, psn);
    }

    /** {@return whether this PSN follows the farthest one, and several datagrams are kept already} */
    boolean follows(int psn) {
        return count >= TOLD && psn == farthest + 1;
    }

    /** Keeps a datagram that is 1 to window PSNs ahead of the one expected. */
    void keep(int psn, StashSlot slot) {
        int at = word(psn);
        @Nullable StashSlot[] row = rows[at];
        if (row == null) {
            row = pool.takeRow();
            rows[at] = row;
        }
        row[psn & (Long.SIZE - 1)] = slot;
        bits[at] |= Long.MIN_VALUE >>> psn;
        if (isFarthest(psn)) {
            farthest = psn;
        }
        count++;
    }

    /** {@return the datagram with that PSN, which is removed, or null} */
    @Nullable
    StashSlot take(int psn) {
        int at = word(psn);
        @Nullable StashSlot[] row = rows[at];
        if (row == null) {
            return null;
        }
        int in = psn & (Long.SIZE - 1);
        StashSlot slot = row[in];
        if (slot != null) {
            row[in] = null;
            count--;
            bits[at] &= ~(Long.MIN_VALUE >>> psn);
            if (bits[at] == 0) {
                rows[at] = null;
                pool.giveRow(row);
            }
        }
        return slot;
    }

    /** {@return the number of SACK words behind an Ack for all kept datagrams} */
    int words(int ack) {
        return count == 0 ? 0 : ((Psn.distance(ack, farthest) - 1) >>> 6) + 1;
    }

    /**
     * Writes SACK words behind an Ack (datagram-iWARP §4.4, DG-4.4-6), without trailing zero words.
     *
     * @param first the number of the first word to write
     * @param most the most words
     * @return the number of words
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

    /** Returns all slots to the pool. */
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
