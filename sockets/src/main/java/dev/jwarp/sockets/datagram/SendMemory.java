package dev.jwarp.sockets.datagram;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;

/** The send memory of datagrams: many short slots, and a few for the longest datagrams. Any thread. */
final class SendMemory {
    private static final int SHORT_SLOTS = 512;
    private static final int SHORT_LENGTH = 1 << 11;
    private static final int LONG_SLOTS = 32;
    private static final int LONG_LENGTH = 1 << 16;

    private final MemoryRegion memory;
    /** Free slots, as stacks. */
    private final int[] shortFree = new int[SHORT_SLOTS];

    private final int[] longFree = new int[LONG_SLOTS];
    private final int[] lengths = new int[SHORT_SLOTS + LONG_SLOTS];
    private int shorts;
    private int longs;
    /** Ends that found no slot; notified when a slot is free. */
    private final List<DatagramEnd> waiting = new ArrayList<>();

    SendMemory(ProtectionDomain domain) {
        memory = domain.allocate(SHORT_SLOTS * SHORT_LENGTH + LONG_SLOTS * LONG_LENGTH);
        while (shorts < SHORT_SLOTS) {
            shortFree[shorts] = shorts++;
        }
        while (longs < LONG_SLOTS) {
            longFree[longs] = SHORT_SLOTS + longs++;
        }
    }

    MemoryRegion region() {
        return memory;
    }

    /** {@return a slot for so many bytes; -1 if none is free; then {@code who} is notified when one is} */
    synchronized int take(int length, DatagramEnd who) {
        int slot = -1;
        if (length <= SHORT_LENGTH && shorts > 0) {
            slot = shortFree[--shorts];
        } else if (longs > 0) {
            slot = longFree[--longs];
        } else if (!waiting.contains(who)) {
            waiting.add(who);
        }
        if (slot >= 0) {
            lengths[slot] = length;
        }
        return slot;
    }

    /** {@return whether all slots are free} */
    synchronized boolean isFree() {
        return shorts == SHORT_SLOTS && longs == LONG_SLOTS;
    }

    /** {@return the offset of a slot} */
    static int offset(int slot) {
        return slot < SHORT_SLOTS
                ? slot * SHORT_LENGTH
                : SHORT_SLOTS * SHORT_LENGTH + (slot - SHORT_SLOTS) * LONG_LENGTH;
    }

    /**
     * Frees a slot. Not under the lock of an end.
     *
     * @return number of bytes for which the slot was taken
     */
    int give(int slot) {
        List<DatagramEnd> told = null;
        int length;
        synchronized (this) {
            length = lengths[slot];
            if (slot < SHORT_SLOTS) {
                shortFree[shorts++] = slot;
            } else {
                longFree[longs++] = slot;
            }
            if (!waiting.isEmpty()) {
                told = List.copyOf(waiting);
                waiting.clear();
            }
        }
        if (told != null) { // an empty list would allocate an iterator for each datagram
            told.forEach(DatagramEnd::roomAgain);
        }
        return length;
    }
}
