package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams of one direction that are not accepted yet: a ring by PSN. A slot has the message, so that the datagram
 * can be written again, and time and serial number of the last transmission. Two lists link the slots: datagrams in
 * flight, by the order of their last transmission, and datagrams that count as lost. A slot has 31 bytes. The ring
 * begins small, and doubles when it is half full: so slots of recently accepted datagrams remain readable for late
 * duplicates.
 */
final class RdFlight {
    static final int NONE = -1;

    /** The initial number of slots. */
    static final int LEAST = 256;

    private static final byte UNDER_WAY = 1;
    private static final byte LOST = 2;
    private static final byte ACKED = 3;
    private static final byte LIST = 3;
    private static final byte REPEATED = 4;
    private static final byte ASKED = 8;
    /** The datagram has counted as lost before. */
    private static final byte WAS_LOST = 16;

    private final int most;
    private int mask;
    private @Nullable OutboundMessage[] messages = {};
    private short[] indexes = {};
    private int[] sizes = {};
    private int[] serials = {};
    private long[] sentAt = {};
    private byte[] states = {};
    private int[] next = {};
    private int[] previous = {};
    // By list: UNDER_WAY and LOST.
    private final int[] heads = {NONE, NONE, NONE};
    private final int[] tails = {NONE, NONE, NONE};
    private final int[] counts = {0, 0, 0};
    private long inFlight;

    /**
     * Creates an empty flight.
     *
     * @param window the most datagrams
     */
    RdFlight(int window) {
        most = window <= 1 ? 1 : Integer.highestOneBit(window - 1) << 1;
        resize(Math.min(most, LEAST), 0, 0);
    }

    /** {@return the most datagrams after growth} */
    int capacity() {
        return most;
    }

    /** {@return the present number of slots} */
    int slots() {
        return mask + 1;
    }

    /** Shrinks to the initial size; the flight must be empty. */
    void shrink() {
        if (slots() > LEAST) {
            resize(LEAST, 0, 0);
        }
    }

    /** Moves {@code count} datagrams from {@code first} on into {@code size} slots, a power of two. */
    private void resize(int size, int first, int count) {
        int from = mask;
        int to = size - 1;
        @Nullable OutboundMessage[] oldMessages = messages;
        short[] oldIndexes = indexes;
        int[] oldSizes = sizes;
        int[] oldSerials = serials;
        long[] oldSentAt = sentAt;
        byte[] oldStates = states;
        int[] oldNext = next;
        int[] oldPrevious = previous;
        messages = new OutboundMessage[size];
        indexes = new short[size];
        sizes = new int[size];
        serials = new int[size];
        sentAt = new long[size];
        states = new byte[size];
        next = new int[size];
        previous = new int[size];
        for (int psn = first; psn != first + count; psn++) {
            int old = psn & from;
            int slot = psn & to;
            messages[slot] = oldMessages[old];
            indexes[slot] = oldIndexes[old];
            sizes[slot] = oldSizes[old];
            serials[slot] = oldSerials[old];
            sentAt[slot] = oldSentAt[old];
            states[slot] = oldStates[old];
            next[slot] = moved(oldNext[old], first, from, to);
            previous[slot] = moved(oldPrevious[old], first, from, to);
        }
        for (int list = UNDER_WAY; list <= LOST; list++) {
            heads[list] = moved(heads[list], first, from, to);
            tails[list] = moved(tails[list], first, from, to);
        }
        mask = to;
    }

    private static int moved(int slot, int first, int from, int to) {
        return slot == NONE ? NONE : (first + ((slot - first) & from)) & to;
    }

    /** {@return the number of datagrams in flight} */
    int underWay() {
        return counts[UNDER_WAY];
    }

    /** {@return the bytes in flight, on the path} */
    long inFlight() {
        return inFlight;
    }

    /** {@return the number of datagrams that count as lost and wait to be repeated} */
    int lost() {
        return counts[LOST];
    }

    /**
     * Adds a datagram that is about to be sent for the first time: {@link #sent} follows.
     *
     * @param first the PSN of the oldest datagram that is not accepted
     */
    void add(int first, int psn, OutboundMessage message, int index) {
        int count = Psn.distance(first, psn);
        if (2 * count >= slots() && slots() < most) {
            resize(2 * slots(), first, count);
        }
        int slot = psn & mask;
        messages[slot] = message;
        indexes[slot] = (short) index;
        states[slot] = 0;
    }

    /** A datagram is about to be sent again: {@link #sent} follows. */
    void again(int psn) {
        int slot = psn & mask;
        unlink(slot);
        states[slot] = (byte) (REPEATED | (states[slot] & WAS_LOST));
    }

    /** The datagram is sent, with {@code bytes} on the path. */
    void sent(int psn, int bytes, int serial, boolean asked, long nowNanos) {
        int slot = psn & mask;
        sizes[slot] = bytes;
        serials[slot] = serial;
        sentAt[slot] = nowNanos;
        if (asked) {
            states[slot] |= ASKED;
        }
        append(slot, UNDER_WAY);
    }

    /** A datagram, in flight or acknowledged out of order, has to be repeated. */
    void lose(int psn) {
        int slot = psn & mask;
        unlink(slot);
        states[slot] |= WAS_LOST;
        append(slot, LOST);
    }

    /** A datagram has arrived. */
    void acknowledge(int psn) {
        int slot = psn & mask;
        unlink(slot);
        states[slot] |= ACKED;
    }

    /** {@return the message of an accepted datagram, which is removed} */
    OutboundMessage take(int psn) {
        int slot = psn & mask;
        OutboundMessage message = message(psn);
        messages[slot] = null;
        return message;
    }

    /**
     * {@return the PSN of the oldest transmission in flight, in the ring that begins with {@code first}} There must be
     * one.
     */
    int oldestUnderWay(int first) {
        return first + ((heads[UNDER_WAY] - first) & mask);
    }

    /** {@return the PSN of the datagram lost first} There must be one. */
    int firstLost(int first) {
        return first + ((heads[LOST] - first) & mask);
    }

    boolean acked(int psn) {
        return (states[psn & mask] & LIST) == ACKED;
    }

    boolean repeated(int psn) {
        return (states[psn & mask] & REPEATED) != 0;
    }

    /** {@return whether the datagram counts as lost, or was repeated because it counted as lost} */
    boolean wasLost(int psn) {
        return (states[psn & mask] & WAS_LOST) != 0;
    }

    /** An acknowledgement has shown that the transmission before the repetition was lost. */
    void blame(int psn) {
        states[psn & mask] |= WAS_LOST;
    }

    /** The datagram had counted as lost by mistake. */
    void forgive(int psn) {
        states[psn & mask] &= ~WAS_LOST;
    }

    /** {@return whether the datagram waits to be repeated} */
    boolean waits(int psn) {
        return (states[psn & mask] & LIST) == LOST;
    }

    /** {@return the datagram's bytes on the path} */
    int size(int psn) {
        return sizes[psn & mask];
    }

    boolean asked(int psn) {
        return (states[psn & mask] & ASKED) != 0;
    }

    int serial(int psn) {
        return serials[psn & mask];
    }

    long sentAt(int psn) {
        return sentAt[psn & mask];
    }

    OutboundMessage message(int psn) {
        OutboundMessage message = messages[psn & mask];
        if (message == null) {
            throw new IllegalStateException("PSN " + psn + " is not outstanding");
        }
        return message;
    }

    int index(int psn) {
        return indexes[psn & mask] & 0xffff;
    }

    private void append(int slot, byte list) {
        states[slot] = (byte) ((states[slot] & ~LIST) | list);
        int tail = tails[list];
        previous[slot] = tail;
        next[slot] = NONE;
        if (tail == NONE) {
            heads[list] = slot;
        } else {
            next[tail] = slot;
        }
        tails[list] = slot;
        counts[list]++;
        if (list == UNDER_WAY) {
            inFlight += sizes[slot];
        }
    }

    private void unlink(int slot) {
        int list = states[slot] & LIST;
        states[slot] &= ~LIST;
        if (list != UNDER_WAY && list != LOST) {
            return;
        }
        int before = previous[slot];
        int after = next[slot];
        if (before == NONE) {
            heads[list] = after;
        } else {
            next[before] = after;
        }
        if (after == NONE) {
            tails[list] = before;
        } else {
            previous[after] = before;
        }
        counts[list]--;
        if (list == UNDER_WAY) {
            inFlight -= sizes[slot];
        }
    }

    /** Removes all datagrams. */
    void clear() {
        for (int slot = 0; slot <= mask; slot++) {
            messages[slot] = null;
            states[slot] = 0;
        }
        for (int list = UNDER_WAY; list <= LOST; list++) {
            heads[list] = NONE;
            tails[list] = NONE;
            counts[list] = 0;
        }
        inFlight = 0;
    }
}
