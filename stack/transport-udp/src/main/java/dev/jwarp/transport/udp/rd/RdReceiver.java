package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.ddp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.ddp.llp.datagram.ReceivedDatagram;
import dev.jwarp.ddp.llp.datagram.SegmentFate;
import dev.jwarp.transport.udp.UdpCounter;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel (datagram-iWARP §11): hands datagrams up in the order of their PSNs, each once; keeps
 * those behind a gap, and the expected one while the layer above is not ready for it; says when an ack is due. As the
 * expected datagram needs no memory here, windows cannot block one another for ever. Owner thread only.
 */
final class RdReceiver implements ShareHolder {
    private final RdChannel channel;
    private @Nullable Stash stash;
    private @Nullable Share share;
    private long ackAt = Long.MAX_VALUE;
    private int expected;
    private byte unacked;
    private boolean ackNow;
    private boolean notReady;
    /** There was no room for something, or what was kept had to go, and the gap is still there. */
    private boolean crowded;

    /** Of that channel, which has to be told if what is kept here has to go. */
    RdReceiver(RdChannel channel) {
        this.channel = channel;
    }

    /** Expects this PSN first; nothing may be kept. */
    void start(int firstPsn) {
        expected = firstPsn;
        acked();
    }

    /** {@return the PSN expected next} */
    int expected() {
        return expected;
    }

    /** {@return whether an ack is to go out now} */
    boolean ackNow() {
        return ackNow;
    }

    /** {@return whether the layer above has no room for the datagram expected next} */
    boolean notReady() {
        return notReady;
    }

    /** {@return when the delay of an ack is over} */
    long ackAt() {
        return ackAt;
    }

    /**
     * A datagram of the channel; what is kept of it is copied.
     *
     * @return false if the layer above refused it, or one kept behind it: the channel has to be closed
     */
    boolean onData(RdEndpoint at, ReceivedDatagram datagram, RdFields said, long nowNanos) {
        int ahead = Psn.distance(expected, said.psn);
        // datagram-iWARP §11: before the expected one (DG-11.2-1), or beyond the window (DG-11.2-3): drop, RD-ACK.
        if (ahead < 0 || ahead > at.settings().window()) {
            at.port().count(ahead < 0 ? UdpCounter.RD_DUP : UdpCounter.RD_AHEAD);
            ackNow = true;
            return true;
        }
        if (ahead > 0) {
            ackNow = true; // datagram-iWARP §11 (DG-11.2-2): a gap shows in an RD-ACK at once
            keepAhead(at, said.psn, datagram, nowNanos);
            return true;
        }
        if (stash != null && stash.head != null) {
            at.port().count(UdpCounter.RD_DUP);
            ackNow = true;
            return runOn(at, nowNanos);
        }
        SegmentFate fate = at.upper().onSegment(datagram, nowNanos);
        note(at, fate);
        if (fate == SegmentFate.REFUSED) {
            return false;
        }
        if (fate == SegmentFate.NOT_READY) {
            keepHead(at, takeSlot(at, datagram.length(), nowNanos), datagram);
            return true;
        }
        accepted(said.ackWanted, nowNanos);
        return runOn(at, nowNanos);
    }

    private void keepAhead(RdEndpoint at, int psn, ReceivedDatagram datagram, long nowNanos) {
        if (stash != null && stash.has(psn)) {
            at.port().count(UdpCounter.RD_DUP);
            return;
        }
        StashSlot slot = takeSlot(at, datagram.length(), nowNanos);
        if (slot == null) {
            crowded = true;
            at.port().count(UdpCounter.RD_AHEAD); // datagram-iWARP §13: no room, drop unacknowledged
            return;
        }
        slot.keep(datagram);
        ring(at).keep(psn, slot);
    }

    private @Nullable StashSlot takeSlot(RdEndpoint at, int length, long nowNanos) {
        Share own = share;
        if (own == null) {
            own = at.stashes().join(channel.peer().address(), this, nowNanos);
            share = own;
        }
        return at.stashes().take(own, length, nowNanos);
    }

    /** {@return how many datagrams ahead will be kept} Fewer than usual as long as the last gap is there that found no room. */
    int window(RdSettings settings) {
        int most = Math.min(settings.window(), settings.stash());
        return crowded && share != null ? (int) Math.min(most, Math.max(RdSettings.LEAST_WINDOW, share.held())) : most;
    }

    /** Another peer has less: what is kept has to go. As it was not accepted, the peer will send it again. */
    @Override
    public void takeBack(long nowNanos) {
        channel.stashTakenBack();
    }

    /** Gives back what is kept; an RD-ACK says so. */
    void clearKept(StashPool pool) {
        if (stash != null) {
            giveStash(pool, stash);
            crowded = true;
            ackNow = true;
        }
    }

    private void giveStash(StashPool pool, Stash from) {
        from.clear(pool, share);
        pool.giveRing(from);
        stash = null;
    }

    private void keepHead(RdEndpoint at, @Nullable StashSlot slot, ReceivedDatagram datagram) {
        if (slot != null) {
            slot.keep(datagram);
            ring(at).head = slot;
        }
        blocked(at);
    }

    private Stash ring(RdEndpoint at) {
        if (stash == null) {
            stash = at.stashes().takeRing();
        }
        return stash;
    }

    private void blocked(RdEndpoint at) {
        if (!notReady) {
            at.port().count(UdpCounter.RD_NOT_READY);
        }
        notReady = true;
        ackNow = true; // datagram-iWARP §11 (DG-11.2-4): RD-ACK with RNR
    }

    /** The layer above may be ready now. See {@link #onData} for what is returned. */
    boolean onReady(RdEndpoint at, long nowNanos) {
        if (stash == null || stash.head == null) {
            notReady = false; // the datagram was not kept: the peer has to send it again
            ackNow = true;
            return true;
        }
        return runOn(at, nowNanos);
    }

    /** Hands up what is kept, in order (DG-11.2-2), as far as it goes. */
    private boolean runOn(RdEndpoint at, long nowNanos) {
        DatagramUpperLayer upper = at.upper();
        StashPool pool = at.stashes();
        for (Stash from = stash; from != null; from = stash) {
            StashSlot slot = from.head;
            if (slot == null) {
                slot = from.take(expected);
            }
            if (slot == null) {
                break;
            }
            from.head = null;
            SegmentFate fate = upper.onSegment(slot.datagram.through(channel.peer()), nowNanos);
            if (fate == SegmentFate.NOT_READY) {
                from.head = slot;
                blocked(at);
                return true;
            }
            note(at, fate);
            pool.give(share, slot);
            if (share != null) {
                share.moved(nowNanos); // one that drains takes nothing: it is not idle all the same
            }
            if (fate == SegmentFate.REFUSED) {
                return false;
            }
            accepted(true, nowNanos);
        }
        if (stash != null && stash.isEmpty()) {
            pool.giveRing(stash);
            stash = null;
        }
        crowded &= stash != null;
        return true;
    }

    private void note(RdEndpoint at, SegmentFate fate) {
        if (fate == SegmentFate.DROPPED || fate == SegmentFate.REFUSED) {
            at.port().dropped(channel.peer().address(), at.upper().cause());
        }
    }

    private void accepted(boolean ackAtOnce, long nowNanos) {
        expected++;
        unacked++;
        // datagram-iWARP §11 (DG-11.2-5): RD-ACK at flag A, 16 datagrams, or 2 ms after the first unacknowledged one.
        if (ackAtOnce || notReady || unacked >= RdSettings.ACK_EVERY) {
            ackNow = true;
        } else {
            owe(nowNanos);
        }
        notReady = false;
    }

    /** An ack has to go out within the delay. */
    void owe(long nowNanos) {
        if (ackAt == Long.MAX_VALUE) {
            ackAt = nowNanos + RdSettings.ACK_DELAY;
        }
    }

    /** Writes the SACK words of an ack that goes out with this. */
    int ack(long[] words) {
        acked();
        return stash == null ? 0 : stash.words(expected, words);
    }

    /** A datagram of ours carries Ack and Window: no RD-ACK is needed, if it had nothing more to say. */
    void carried() {
        if (!notReady && stash == null) {
            acked();
        }
    }

    private void acked() {
        ackNow = false;
        ackAt = Long.MAX_VALUE;
        unacked = 0;
    }

    void onTimeout(long nowNanos) {
        if (nowNanos >= ackAt) {
            ackAt = Long.MAX_VALUE;
            ackNow = true;
        }
    }

    /** Forgets everything kept. */
    void clear(StashPool pool) {
        if (stash != null) {
            giveStash(pool, stash);
        }
        crowded = false;
        notReady = false;
        acked();
    }

    /** Forgets everything kept, for good. */
    void leave(StashPool pool) {
        clear(pool);
        if (share != null) {
            share.leave();
            share = null;
        }
    }
}
