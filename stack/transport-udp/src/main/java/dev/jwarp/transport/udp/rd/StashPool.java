package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.source.Divided;
import java.util.ArrayDeque;
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
    private final ArrayDeque<StashSlot> slots = new ArrayDeque<>();
    private final ArrayDeque<Stash> rings = new ArrayDeque<>();
    private final ArrayDeque<@Nullable StashSlot[]> rows = new ArrayDeque<>();
    private final long memory;
    private final long unit;
    /** The bytes of all slots, including free ones. */
    private long made;

    /**
     * Creates an empty pool.
     *
     * @param most the most datagrams of up to {@code memory / most} bytes
     * @param memory the most bytes of all datagrams
     */
    StashPool(int most, long memory, int window, long secret, ShareWatcher watcher) {
        this.window = window;
        this.memory = memory;
        unit = Math.max(1, memory / most);
        shares = new Shares(
                ShareLimits.of(
                        "room for reliable datagrams ahead of their turn",
                        UdpSetting.RD_STASH.key(),
                        most,
                        Math.min(RdSettings.LEAST_WINDOW, most / GUARANTEED),
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
        StashSlot slot = slots.isEmpty() ? new StashSlot() : slots.pop();
        slot.units = units;
        made += slot.makeRoom(capacity, units * unit);
        while (made > memory && !slots.isEmpty()) {
            made -= slots.pop().capacity();
        }
        return slot;
    }

    void give(@Nullable Share share, StashSlot slot) {
        if (share != null) {
            share.give(slot.units);
        }
        slot.letGo();
        slots.push(slot);
    }

    /** {@return the bytes of all slots} */
    long made() {
        return made;
    }

    /** {@return an empty stash for one channel} */
    Stash takeRing() {
        return rings.isEmpty() ? new Stash(this, window) : rings.pop();
    }

    /** Returns an empty stash. */
    void giveRing(Stash ring) {
        if (rings.size() < SPARE_RINGS) {
            rings.push(ring);
        }
    }

    /** {@return an empty row} */
    @Nullable
    StashSlot[] takeRow() {
        return rows.isEmpty() ? new StashSlot[Long.SIZE] : rows.pop();
    }

    /** Returns an empty row. */
    void giveRow(@Nullable StashSlot[] row) {
        if (rows.size() < SPARE_ROWS) {
            rows.push(row);
        }
    }
}
