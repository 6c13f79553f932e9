package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.transport.udp.Divided;
import dev.jwarp.transport.udp.UdpSetting;
import org.jspecify.annotations.Nullable;

/**
 * Memory for datagrams that came ahead of their turn, for all channels of a queue pair: so many and no more (datagram-iWARP
 * §13). Made when first needed, then reused. Owner thread only.
 */
final class StashPool {
    private static final int SPARE_RINGS = 64;
    /** So many channels, at least, can each have what is guaranteed. */
    private static final int GUARANTEED = 64;

    private final int window;
    private final Shares shares;
    private @Nullable StashSlot firstFree;
    private @Nullable Stash firstFreeRing;
    private int freeRings;

    StashPool(int slots, int window, long secret, ShareWatcher watcher) {
        this.window = window;
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

    /** {@return how many more datagrams can be kept} */
    int free() {
        return (int) (shares.limits().capacity() - shares.used());
    }

    /** {@return how many channels have a share, be it nothing} */
    int sharers() {
        return shares.holders();
    }

    /** {@return a slot for so many octets, taken from another channel if need be, or null} */
    @Nullable
    StashSlot take(Share share, int octets, long nowNanos) {
        if (!share.take(1, nowNanos)) {
            return null;
        }
        StashSlot slot = firstFree;
        if (slot != null) {
            firstFree = slot.nextFree;
            slot.nextFree = null;
            return slot;
        }
        return new StashSlot(octets);
    }

    void give(@Nullable Share share, StashSlot slot) {
        if (share != null) {
            share.give(1);
        }
        slot.letGo();
        slot.nextFree = firstFree;
        firstFree = slot;
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
