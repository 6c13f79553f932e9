package dev.jwarp.transport.udp.rd;

import org.jspecify.annotations.Nullable;

/**
 * Memory for datagrams that came ahead of their turn, for all channels of a queue pair: so many and no more (datagram-iWARP
 * §13). Made when first needed, then reused. Owner thread only.
 */
final class StashPool {
    private static final int SPARE_RINGS = 64;

    private final int window;
    private int free;
    private @Nullable StashSlot firstFree;
    private @Nullable Stash firstFreeRing;
    private int freeRings;

    StashPool(int slots, int window) {
        free = slots;
        this.window = window;
    }

    /** {@return how many more datagrams can be kept} */
    int free() {
        return free;
    }

    /** {@return a slot for so many octets, or null if all are in use} */
    @Nullable
    StashSlot take(int octets) {
        if (free == 0) {
            return null;
        }
        free--;
        StashSlot slot = firstFree;
        if (slot != null) {
            firstFree = slot.nextFree;
            slot.nextFree = null;
            return slot;
        }
        return new StashSlot(octets);
    }

    void give(StashSlot slot) {
        slot.nextFree = firstFree;
        firstFree = slot;
        free++;
    }

    /** {@return an empty stash for one channel} */
    Stash takeRing() {
        Stash ring = firstFreeRing;
        if (ring == null) {
            return new Stash(window);
        }
        firstFreeRing = ring.nextFree;
        ring.nextFree = null;
        freeRings--;
        return ring;
    }

    /** Takes an empty stash back. */
    void giveRing(Stash ring) {
        if (freeRings < SPARE_RINGS) {
            ring.nextFree = firstFreeRing;
            firstFreeRing = ring;
            freeRings++;
        }
    }
}
