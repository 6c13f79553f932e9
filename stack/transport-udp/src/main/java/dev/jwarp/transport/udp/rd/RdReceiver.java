package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.RdAckBody;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel (datagram-iWARP §11): delivers datagrams in the order of their PSNs, each once; keeps
 * datagrams behind a gap, and the expected one while the layer above is not ready; decides when an ack is due. The
 * expected datagram needs no memory here, so channels cannot deadlock on memory. Owner thread only.
 */
final class RdReceiver implements ShareHolder {
    private final RdChannel channel;
    private @Nullable Stash stash;
    private @Nullable Share share;
    private long ackAt = Long.MAX_VALUE;
    private int expected;
    /** The window: how many datagrams ahead the peer may send. Never reduced, so that announced windows stay valid. */
    private char allowed;
    // The present round trip, as estimated: its beginning, and the PSN expected then.
    private long roundAt;
    private int roundFrom;

    // The datagram received last, and its time; duplicates; the number of the next RD-ACK, and its first word.
    private int last;
    private long lastAt;
    private int duplicates;
    private int lastDuplicate;
    private int serial;
    private char firstWord;

    private byte unacked;
    private boolean ackNow;
    private boolean notReady;
    /** Datagrams behind the present gap were dropped or discarded for lack of room. */
    private boolean crowded;

    /** The receiver of a channel, which is notified when kept datagrams are discarded. */
    RdReceiver(RdChannel channel) {
        this.channel = channel;
    }

    /** Expects this PSN first; no datagram may be kept. */
    void start(int firstPsn, long nowNanos) {
        expected = firstPsn;
        allowed = 0;
        last = firstPsn - 1;
        lastAt = nowNanos;
        duplicates = 0;
        serial = 0;
        acked();
    }

    /** {@return the PSN expected next} */
    int expected() {
        return expected;
    }

    /** {@return whether an ack is to be sent now} */
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
     * A datagram of the channel; a kept datagram is copied.
     *
     * @return false if the layer above refused the datagram, or a kept one behind it: the channel has to be closed
     */
    boolean onData(RdEndpoint at, ReceivedDatagram datagram, RdFields said, long nowNanos) {
        last = said.psn;
        lastAt = nowNanos;
        int ahead = Psn.distance(expected, said.psn);
        // datagram-iWARP §11: before the expected one (DG-11.2-1), or beyond the window (DG-11.2-3): drop, RD-ACK.
        if (ahead < 0 || ahead > allowed(at.settings)) {
            if (ahead < 0) {
                cameAgain(at, said.psn);
            } else {
                at.port.count(UdpCounter.RD_AHEAD);
                ackNow = true;
            }
            return true;
        }
        if (ahead > 0) {
            keepAhead(at, said, datagram, nowNanos);
            return true;
        }
        if (stash != null && stash.head != null) {
            cameAgain(at, said.psn);
            return runOn(at, nowNanos);
        }
        SegmentFate fate = at.upper.onSegment(datagram, nowNanos);
        note(at, fate);
        if (fate == SegmentFate.REFUSED) {
            return false;
        }
        if (fate == SegmentFate.NOT_READY) {
            keepHead(at, takeSlot(at, datagram.length(), nowNanos), datagram);
            return true;
        }
        accepted(at, said.ackWanted, nowNanos);
        return runOn(at, nowNanos);
    }

    private void cameAgain(RdEndpoint at, int psn) {
        at.port.count(UdpCounter.RD_DUP);
        duplicates++; // DG-11.2-10
        lastDuplicate = psn;
        ackNow = true;
    }

    private void keepAhead(RdEndpoint at, RdFields said, ReceivedDatagram datagram, long nowNanos) {
        int psn = said.psn;
        if (stash != null && stash.has(psn)) {
            cameAgain(at, psn);
            return;
        }
        if (stash != null && stash.follows(psn) && !said.ackWanted) {
            noteUnacked(nowNanos); // the gap was reported before
        } else {
            ackNow = true; // datagram-iWARP §11 (DG-11.2-2): a gap shows in an RD-ACK at once
        }
        StashSlot slot = takeSlot(at, datagram.length(), nowNanos);
        if (slot == null) {
            crowded = true;
            at.port.count(UdpCounter.RD_AHEAD); // datagram-iWARP §13: no room, drop unacknowledged
            return;
        }
        slot.keep(datagram);
        ring(at).keep(psn, slot);
    }

    private @Nullable StashSlot takeSlot(RdEndpoint at, int length, long nowNanos) {
        Share own = share;
        if (own == null) {
            own = at.stashes.join(channel.peer().address(), this, nowNanos);
            share = own;
        }
        return at.stashes.take(own, length, nowNanos);
    }

    /** {@return how many datagrams ahead will be kept} Fewer while there is a gap for which room was lacking. */
    int window(RdSettings settings) {
        int most = allowed(settings);
        return crowded && share != null ? (int) Math.min(most, Math.max(RdSettings.LEAST_WINDOW, share.held())) : most;
    }

    private int allowed(RdSettings settings) {
        if (allowed == 0) {
            allowed = (char) Math.min(RdSettings.FIRST_WINDOW, most(settings));
        }
        return allowed;
    }

    private static int most(RdSettings settings) {
        return Math.min(settings.window(), settings.stash());
    }

    /**
     * Enlarges the window if the peer uses it up, as TCP grows its receive buffer. The known round trip is one without
     * queues; the window must suffice for round trips several times as long.
     */
    private void allowMore(RdEndpoint at, long nowNanos) {
        long known = channel.transfer().roundTrip();
        long roundTrip = known == 0 ? RdSettings.ROUND_UNKNOWN : Math.max(RdSettings.ROUND_LEAST, known);
        if (nowNanos - roundAt < roundTrip) {
            return;
        }
        RdSettings settings = at.settings;
        int more = Math.min(most(settings), 2 * allowed(settings));
        if (RdSettings.ROUNDS_OF_QUEUE * Psn.distance(roundFrom, expected) > allowed
                && nowNanos - roundAt < 2 * roundTrip
                && more <= at.stashes.free()) {
            allowed = (char) more;
        }
        roundAt = nowNanos;
        roundFrom = expected;
    }

    /** Another peer needs memory: discards the kept datagrams. They were not accepted, so the peer repeats them. */
    @Override
    public void takeBack(long nowNanos) {
        channel.stashTakenBack();
    }

    /** Discards the kept datagrams; an RD-ACK reports this. */
    void clearKept(StashPool pool) {
        if (stash != null) {
            giveStash(pool, stash);
            crowded = true;
            ackNow = true;
        }
    }

    private void giveStash(StashPool pool, Stash from) {
        from.clear(share);
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
            stash = at.stashes.takeRing();
        }
        return stash;
    }

    private void blocked(RdEndpoint at) {
        if (!notReady) {
            at.port.count(UdpCounter.RD_NOT_READY);
        }
        notReady = true;
        ackNow = true; // datagram-iWARP §11 (DG-11.2-4): RD-ACK with RNR until the layer above is ready
    }

    /** The layer above may be ready now. Returns the same as {@link #onData}. */
    boolean onReady(RdEndpoint at, long nowNanos) {
        if (stash == null || stash.head == null) {
            notReady = false; // the datagram was not kept: the peer has to send it again
            ackNow = true;
            return true;
        }
        return runOn(at, nowNanos);
    }

    /** Delivers kept datagrams in order (DG-11.2-2), up to the next gap. */
    private boolean runOn(RdEndpoint at, long nowNanos) {
        DatagramUpperLayer upper = at.upper;
        StashPool pool = at.stashes;
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
                share.moved(nowNanos); // a draining channel takes no memory, but is not idle
            }
            if (fate == SegmentFate.REFUSED) {
                return false;
            }
            accepted(at, true, nowNanos);
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
            at.port.dropped(channel.peer().address(), at.upper.cause());
        }
    }

    private void accepted(RdEndpoint at, boolean ackAtOnce, long nowNanos) {
        expected++;
        allowMore(at, nowNanos);
        ackNow |= ackAtOnce || notReady;
        noteUnacked(nowNanos);
        notReady = false;
    }

    /** datagram-iWARP §11 (DG-11.2-5): RD-ACK at flag A, 16 datagrams, or 2 ms after the first unacknowledged one. */
    private void noteUnacked(long nowNanos) {
        if (++unacked >= RdSettings.ACK_EVERY) {
            ackNow = true;
        } else if (!ackNow) {
            owe(nowNanos);
        }
    }

    /** An ack has to be sent within the delay. */
    void owe(long nowNanos) {
        if (ackAt == Long.MAX_VALUE) {
            ackAt = nowNanos + RdSettings.ACK_DELAY;
        }
    }

    /** Sets the fields of an RD-ACK that is sent now, except for those of every datagram; it has no SACK words. */
    void stamp(RdFields fields, long nowNanos) {
        fields.serial = serial++; // DG-11.2-10
        fields.echo = last; // DG-11.2-10
        fields.delay = (int) Math.min(RdAckBody.LONGEST_DELAY, (nowNanos - lastAt) / RdAckBody.DELAY_UNIT_NANOS);
        fields.duplicates = duplicates;
        fields.lastDuplicate = lastDuplicate;
        fields.firstWord = RdAckBody.WORD_LIMIT;
        fields.count = 0;
    }

    /** The same, with the SACK words. */
    void ack(RdFields fields, long nowNanos) {
        acked();
        stamp(fields, nowNanos);
        Stash kept = stash;
        // If there are too many words for one RD-ACK, several carry them in turn.
        if (kept == null || firstWord >= kept.words(expected)) {
            firstWord = 0;
        }
        fields.firstWord = firstWord;
        fields.count = kept == null ? 0 : kept.words(expected, firstWord, RdAckBody.MAXIMUM_WORDS, fields.words);
        firstWord = (char) (firstWord + RdAckBody.MAXIMUM_WORDS);
    }

    /** A sent datagram carries Ack and Window: no RD-ACK is needed without SACK words and RNR. */
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

    /** Discards everything kept. */
    void clear(StashPool pool) {
        if (stash != null) {
            giveStash(pool, stash);
        }
        crowded = false;
        notReady = false;
        acked();
    }

    /** Discards everything kept, and gives up the share. */
    void leave(StashPool pool) {
        clear(pool);
        if (share != null) {
            share.leave();
            share = null;
        }
    }
}
