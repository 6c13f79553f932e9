package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams of one direction that are not accepted yet: a ring by PSN that says what each carried, so that it can be
 * written again, when it was sent last and with which serial number of transmission. Two lists run through it: those under
 * way in the order of their last transmission, and those that count as lost. 31 octets a slot; it begins small, and doubles when
 * it is half full: what was accepted lately can be asked for as long, as a copy of it may have been on its way.
 */
final class RdFlight {
    static final int NONE = -1;

    /** Slots that it begins with. */
    static final int LEAST = 256;

    private static final byte UNDER_WAY = 1;
    private static final byte LOST = 2;
    private static final byte ACKED = 3;
    private static final byte LIST = 3;
    private static final byte REPEATED = 4;
    private static final byte ASKED = 8;
    /** It counted as lost once, since it was sent first. */
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
     * An empty one.
     *
     * @param window the most datagrams that it has to hold
     */
    RdFlight(int window) {
        most = window <= 1 ? 1 : Integer.highestOneBit(window - 1) << 1;
        resize(Math.min(most, LEAST), 0, 0);
    }

    /** {@return how many datagrams it can hold, once it has grown} */
    int capacity() {
        return most;
    }

    /** {@return for how many datagrams it has memory now} */
    int slots() {
        return mask + 1;
    }

    /** Gives back what it has grown by; it must hold nothing. */
    void shrink() {
        if (slots() > LEAST) {
            resize(LEAST, 0, 0);
        }
    }

    /** Moves the datagrams from {@code first} on, {@code count} of them, into so many slots: a power of two. */
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

    /**
     * Enters a datagram of that message that is about to be sent for the first time: {@link #sent} comes next.
     *
     * @param first the oldest that is not accepted
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
    OutboundMessage take(int psn) {
        int slot = psn & mask;
        OutboundMessage message = message(psn);
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

    /** It is found out only now that it was lost before it was sent again. */
    void blame(int psn) {
        states[psn & mask] |= WAS_LOST;
    }

    /** That it counted as lost was a mistake. */
    void forgive(int psn) {
        states[psn & mask] &= ~WAS_LOST;
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
