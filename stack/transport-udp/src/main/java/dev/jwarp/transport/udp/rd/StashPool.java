package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.source.Divided;
import org.jspecify.annotations.Nullable;

/**
 * The memory for datagrams received out of order, for all channels of a queue pair. The number of datagrams is bounded
 * (datagram-iWARP §13), and so are their bytes: a large datagram counts as several. Allocated at the first use, then
 * reused. Owner thread only.
 */
final class StashPool {
    private static final int SPARE_RINGS = 64;
    private static final int SPARE_ROWS = 1024;
    /** The least number of channels that get the guaranteed share. */
    private static final int GUARANTEED = 64;

    private final int window;
    private final Shares shares;
    private @Nullable StashSlot firstFree;
    private @Nullable Stash firstFreeRing;
    private int freeRings;
    private Stash.@Nullable Row firstFreeRow;
    private int freeRows;
    private final long memory;
    private final long unit;
    /** The bytes of all slots, including free ones. */
    private long made;

    /**
     * Creates an empty pool.
     *
     * @param slots the most datagrams of up to {@code memory / slots} bytes
     * @param memory the most bytes of all datagrams
     */
    StashPool(int slots, long memory, int window, long secret, ShareWatcher watcher) {
        this.window = window;
        this.memory = memory;
        unit = Math.max(1, memory / slots);
        shares = new Shares(
                ShareLimits.of(
                        "room for reliable datagrams ahead of their turn",
                        UdpSetting.RD_STASH.key(),
                        slots,
                        Math.min(RdSettings.LEAST_WINDOW, slots / GUARANTEED),
                        RdSettings.IDLE_AFTER),
                secret,
                watcher);
    }

    /** {@return the share of a channel with a peer at that address} */
    Share join(DatagramAddress peer, ShareHolder channel, long nowNanos) {
        return shares.join(Divided.source(peer), channel, nowNanos);
    }

    /** {@return the number of further datagrams that can be kept} */
    int free() {
        return (int) (shares.limits().capacity() - shares.used());
    }

    /** {@return the number of channels with a share, even an empty one} */
    int sharers() {
        return shares.holders();
    }

    /** {@return a slot for {@code octets}, taken from another channel if necessary, or null} */
    @Nullable
    StashSlot take(Share share, int octets, long nowNanos) {
        int capacity = StashSlot.rounded(octets);
        int units = (int) Math.max(1, (capacity + unit - 1) / unit);
        if (!share.take(units, nowNanos)) {
            return null;
        }
        StashSlot slot = firstFree;
        if (slot == null) {
            slot = new StashSlot();
        } else {
            firstFree = slot.nextFree;
            slot.nextFree = null;
        }
        slot.units = units;
        made += slot.makeRoom(capacity, units * unit);
        for (StashSlot spare = firstFree; made > memory && spare != null; spare = firstFree) {
            firstFree = spare.nextFree;
            made -= spare.capacity();
        }
        return slot;
    }

    void give(@Nullable Share share, StashSlot slot) {
        if (share != null) {
            share.give(slot.units);
        }
        slot.letGo();
        slot.nextFree = firstFree;
        firstFree = slot;
    }

    /** {@return the bytes of all slots} */
    long made() {
        return made;
    }

    /** {@return an empty stash for one channel} */
    Stash takeRing() {
        Stash ring = firstFreeRing;
        if (ring == null) {
            return new Stash(this, window);
        }
        firstFreeRing = ring.nextFree;
        ring.nextFree = null;
        freeRings--;
        return ring;
    }

    /** Returns an empty stash. */
    void giveRing(Stash ring) {
        if (freeRings < SPARE_RINGS) {
            ring.nextFree = firstFreeRing;
            firstFreeRing = ring;
            freeRings++;
        }
    }

    /** {@return an empty row} */
    Stash.Row takeRow() {
        Stash.Row row = firstFreeRow;
        if (row == null) {
            return new Stash.Row();
        }
        firstFreeRow = row.nextFree;
        row.nextFree = null;
        freeRows--;
        return row;
    }

    /** Returns an empty row. */
    void giveRow(Stash.Row row) {
        if (freeRows < SPARE_ROWS) {
            row.nextFree = firstFreeRow;
            firstFreeRow = row;
            freeRows++;
        }
    }
}
