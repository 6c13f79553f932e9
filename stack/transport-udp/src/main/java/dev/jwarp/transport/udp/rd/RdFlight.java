package dev.jwarp.transport.udp.rd;

import org.jspecify.annotations.Nullable;

/**
 * The datagrams of one direction that are not accepted yet: a ring by PSN that says what each carried, so that it can be
 * written again, when it was sent last and with which serial number of transmission. Two lists run through it: those under
 * way in the order of their last transmission, and those that count as lost. About 27 octets a slot.
 */
final class RdFlight {
    static final int NONE = -1;

    private static final byte UNDER_WAY = 1;
    private static final byte LOST = 2;
    private static final byte ACKED = 3;
    private static final byte LIST = 3;
    private static final byte REPEATED = 4;
    private static final byte ASKED = 8;
    /** It counted as lost once, since it was sent first. */
    private static final byte WAS_LOST = 16;

    private final int mask;
    private final @Nullable Object[] messages;
    private final short[] indexes;
    private final int[] sizes;
    private final int[] serials;
    private final long[] sentAt;
    private final byte[] states;
    private final short[] next;
    private final short[] previous;
    // By list: UNDER_WAY and LOST.
    private final int[] heads = {NONE, NONE, NONE};
    private final int[] tails = {NONE, NONE, NONE};
    private final int[] counts = {0, 0, 0};
    private long inFlight;

    RdFlight(int capacity) {
        int size = capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        mask = size - 1;
        messages = new Object[size];
        indexes = new short[size];
        sizes = new int[size];
        serials = new int[size];
        sentAt = new long[size];
        states = new byte[size];
        next = new short[size];
        previous = new short[size];
    }

    int capacity() {
        return mask + 1;
    }

    /** {@return how many are under way} */
    int underWay() {
        return counts[UNDER_WAY];
    }

    /** {@return bytes on the path of those under way} */
    long inFlight() {
        return inFlight;
    }

    /** {@return how many count as lost and wait to be repeated} */
    int lost() {
        return counts[LOST];
    }

    /** Enters a datagram of that message that is about to be sent for the first time: {@link #sent} comes next. */
    void add(int psn, Object message, int index) {
        int slot = psn & mask;
        messages[slot] = message;
        indexes[slot] = (short) index;
        states[slot] = 0;
    }

    /** A datagram is about to be sent again: {@link #sent} comes next. */
    void again(int psn) {
        int slot = psn & mask;
        unlink(slot);
        states[slot] = (byte) (REPEATED | (states[slot] & WAS_LOST));
    }

    /** The datagram leaves, with so many bytes on the path. */
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

    /** A datagram, under way or acknowledged out of order, has to be repeated. */
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

    /** {@return the message of a datagram that is accepted, which is forgotten with this} */
    Object take(int psn) {
        int slot = psn & mask;
        Object message = message(psn);
        messages[slot] = null;
        return message;
    }

    /** {@return the oldest transmission under way, as a PSN of the ring that begins with {@code first}} There must be one. */
    int oldestUnderWay(int first) {
        return first + ((heads[UNDER_WAY] - first) & mask);
    }

    /** {@return the datagram lost first} There must be one. */
    int firstLost(int first) {
        return first + ((heads[LOST] - first) & mask);
    }

    boolean acked(int psn) {
        return (states[psn & mask] & LIST) == ACKED;
    }

    boolean repeated(int psn) {
        return (states[psn & mask] & REPEATED) != 0;
    }

    /** {@return whether it counts as lost and waits, or was sent again because it counted as lost} */
    boolean wasLost(int psn) {
        return (states[psn & mask] & WAS_LOST) != 0;
    }

    /** {@return whether it waits to be repeated} */
    boolean waits(int psn) {
        return (states[psn & mask] & LIST) == LOST;
    }

    /** {@return its bytes on the path} */
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

    Object message(int psn) {
        Object message = messages[psn & mask];
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
        previous[slot] = (short) tail;
        next[slot] = NONE;
        if (tail == NONE) {
            heads[list] = slot;
        } else {
            next[tail] = (short) slot;
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
            next[before] = (short) after;
        }
        if (after == NONE) {
            tails[list] = before;
        } else {
            previous[after] = (short) before;
        }
        counts[list]--;
        if (list == UNDER_WAY) {
            inFlight -= sizes[slot];
        }
    }

    /** Forgets everything. */
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
