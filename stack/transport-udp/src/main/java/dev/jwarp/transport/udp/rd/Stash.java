package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import org.jspecify.annotations.Nullable;

/**
 * What one channel has received behind a gap: datagrams by PSN, and a bit for each, from which SACK words are cut. The
 * datagram expected next stands apart: it is here only while the layer above has no room for it. Owner thread only.
 */
final class Stash {
    /** Its place in the pool. */
    @Nullable
    Stash nextFree;

    /** The datagram expected next, if the layer above is not ready for it. */
    @Nullable
    StashSlot head;

    private final @Nullable StashSlot[] slots;
    // By PSN modulo the size of the ring, most significant bit first, as in SACK words.
    private final long[] bits;
    private final int mask;
    private int count;

    Stash(int window) {
        int size = Math.max(Long.SIZE, Integer.highestOneBit(Math.max(1, window - 1)) << 1);
        slots = new StashSlot[size];
        bits = new long[size / Long.SIZE];
        mask = size - 1;
    }

    /** {@return whether nothing is kept} */
    boolean isEmpty() {
        return count == 0 && head == null;
    }

    boolean has(int psn) {
        return slots[psn & mask] != null;
    }

    /** Keeps a datagram that is 1 to window PSNs ahead of the one expected. */
    void keep(int psn, StashSlot slot) {
        int at = psn & mask;
        slots[at] = slot;
        bits[at >>> 6] |= Long.MIN_VALUE >>> at;
        count++;
    }

    /** {@return the datagram with that PSN, which is taken out, or null} */
    @Nullable
    StashSlot take(int psn) {
        int at = psn & mask;
        StashSlot slot = slots[at];
        if (slot != null) {
            slots[at] = null;
            bits[at >>> 6] &= ~(Long.MIN_VALUE >>> at);
            count--;
        }
        return slot;
    }

    /**
     * Writes the SACK words behind an Ack (datagram-iWARP §4.4, DG-4.4-6), without trailing zero words (DG-4.4-7).
     *
     * @return how many
     */
    int words(int ack, long[] out) {
        if (count == 0) {
            return 0;
        }
        int used = 0;
        int words = bits.length;
        for (int word = 0; word < words; word++) {
            int from = (ack + 1 + word * Long.SIZE) & mask;
            int shift = from & (Long.SIZE - 1);
            int at = from >>> 6;
            long value = bits[at] << shift;
            if (shift != 0) {
                value |= bits[(at + 1) & (words - 1)] >>> (Long.SIZE - shift);
            }
            out[word] = value;
            if (value != 0) {
                used = word + 1;
            }
        }
        return used;
    }

    /** Gives every datagram back. */
    void clear(StashPool pool, @Nullable Share share) {
        StashSlot first = head;
        if (first != null) {
            pool.give(share, first);
            head = null;
        }
        for (int at = 0; count > 0; at++) {
            StashSlot slot = take(at);
            if (slot != null) {
                pool.give(share, slot);
            }
        }
    }
}
