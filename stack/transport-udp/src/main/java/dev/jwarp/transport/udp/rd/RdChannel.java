package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Shares;
import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.PathControl;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.source.Divided;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reliable channel between a queue pair here and one at the peer, in both directions (datagram-iWARP §11, whose state
 * table the methods follow row by row). An idle channel needs little memory: that for datagrams in flight and out of
 * order comes from pools of the {@link RdEndpoint}. Owner thread only.
 *
 * <p>Long, so that one state table is in one file.
 */
final class RdChannel extends TimerHeap.Entry implements ShareHolder, PathControl {
    // Bits of due: the datagrams to send.
    static final byte DUE_OPEN = 2;
    static final byte DUE_BARE_ACK = 8;
    private static final byte DUE_PROBE = 16;
    private static final byte DUE_RESET = 1;
    private static final byte DUE_ACCEPT = 4;

    /** RD-RESETs that do not fit in a second, after which all of that second are dropped. */
    static final int MOST_STRAY_RESETS = 1_000;

    // Links of RdSchedule.
    @Nullable
    RdChannel nextWaiting;

    @Nullable
    RdChannel previousWaiting;

    boolean queued;
    boolean waiting;

    private final RdEndpoint endpoint;
    private final DatagramPeer peer;
    private final RdTransfer transfer;
    /**
     * The outstanding RD-OPEN of this side. If the channel is OPEN as well, an RD-OPEN opened it that may be forged.
     */
    private @Nullable RdOpening opening;

    private RdState state = RdState.CLOSED;
    private boolean ours;
    private boolean halfOpen;
    private byte due;
    /** This side's tag, which the peer has to show. The endpoint changes it. */
    int tag;

    private int peerTag;
    private int control;
    private int answering;
    private long since;
    /** The number of RD-ACCEPTs sent, counted up to 2; and the time of the first. */
    private byte accepts;

    private long acceptedAt;

    /** Probes in a row without an acknowledgement. */
    private byte unheard;
    /** RD-RESETs that did not fit in this second, and its beginning. */
    private char strayResets;

    private long straySince;
    /** The length of the PATH-PROBE that is due, octets of UDP payload; 0 for the least length. */
    private char probeSize;

    private @Nullable Share place;

    RdChannel(RdEndpoint endpoint, DatagramPeer peer, int tag, int firstPsn) {
        this.endpoint = endpoint;
        this.peer = peer;
        this.tag = tag;
        transfer = new RdTransfer(endpoint, this, firstPsn);
        peer.control(this);
    }

    // ---- any thread

    @Override
    public long congestionWindow() {
        return transfer.congestionWindow();
    }

    @Override
    public long congestionRate() {
        return transfer.congestionRate();
    }

    @Override
    public long smoothedRoundTrip() {
        return transfer.smoothed();
    }

    // ---- its share of all channels

    /** {@return whether the channel has got a place among the channels of the queue pair} */
    boolean takePlace(Shares places, long nowNanos) {
        Share taken = places.join(Divided.source(peer.address()), this, nowNanos);
        boolean has = false;
        try {
            has = taken.take(1, nowNanos);
        } finally {
            if (!has) {
                taken.leave();
            }
        }
        place = has ? taken : null;
        return has;
    }

    /**
     * Another peer needs the place (DG-13-6), or the path takes less than datagrams that are numbered: the channel
     * ends as if closed, in ERROR too, and may be opened again.
     */
    @Override
    public void takeBack(long nowNanos) {
        if (state == RdState.OPEN && !halfOpen) {
            endpoint.port.displaced(peer, peerTag);
        }
        boolean failed = state == RdState.ERROR; // the layer above is or will be notified
        drop();
        if (!failed) {
            endpoint.displaced(this);
        }
    }

    /** Discards the datagrams that are kept out of order. */
    void stashTakenBack() {
        transfer.receiver.clearKept(endpoint.stashes);
        changed();
    }

    private void leavePlace() {
        if (place != null) {
            place.leave();
            place = null;
        }
    }

    /** A datagram of the peer came: noted from time to time, which suffices to find idle channels. */
    private void moved(long nowNanos) {
        if (place != null && nowNanos - place.movedAt() >= RdSettings.IDLE_AFTER / 2) {
            place.moved(nowNanos);
        }
    }

    RdState state() {
        return state;
    }

    /** {@return the peer, an object owned by this channel} */
    DatagramPeer peer() {
        return peer;
    }

    /** {@return the peer's tag, which this side has to show} */
    int peerTag() {
        return peerTag;
    }

    /** {@return the data transfer of this channel} */
    RdTransfer transfer() {
        return transfer;
    }

    boolean isOf(RdEndpoint owner) {
        return endpoint == owner;
    }

    boolean isWith(DatagramAddress address, int queuePairNumber) {
        return peer.queuePairNumber() == queuePairNumber && peer.address().equals(address);
    }

    /** This side has work for the peer, so it knows key and largest datagram, which an RD-OPEN does not carry. */
    void adopt(DatagramPeer known) {
        if (!ours) {
            ours = true;
            peer.set(known.address(), known.queuePairNumber(), known.key(), known.maximumDatagram());
        }
    }

    // ---- opening: see RdOpener

    /** {@return the opening in progress, or null} */
    @Nullable
    RdOpening opening() {
        return opening;
    }

    void beOpening(RdOpening begun) {
        state = RdState.OPENING;
        opening = begun;
        owes(DUE_OPEN);
    }

    /** Sets whether the channel is half-open: no datagram has shown this side's tag. */
    void halfOpen(boolean now) {
        if (halfOpen != now) {
            halfOpen = now;
            endpoint.opener.onHalfOpen(now ? 1 : -1);
        }
    }

    /** OPEN by an RD-OPEN of the peer; an RD-OPEN of this side is to confirm that the peer sent it. */
    void beConfirming(RdOpening begun) {
        opening = begun;
        owes(DUE_OPEN);
    }

    /** OPEN by an RD-OPEN that crossed ours; our RD-OPEN is repeated until a datagram shows our tag. */
    void beOpenUnconfirmed(RdFields said, RdOpening asked, long nowNanos) {
        boolean unsent = take(DUE_OPEN);
        beOpen(said, nowNanos);
        opening = asked;
        due = unsent ? DUE_OPEN : 0;
    }

    /** A datagram has shown our tag, which only the peer knows. */
    void confirmed() {
        halfOpen(false);
        opening = null;
        due &= ~DUE_OPEN;
    }

    /** OPEN by an RD-OPEN or RD-ACCEPT of the peer. */
    void beOpen(RdFields said, long nowNanos) {
        state = RdState.OPEN;
        opening = null;
        due = 0;
        peerTag = said.tag;
        accepts = 0;
        since = nowNanos;
        transfer.begin(said.psn, said.window, nowNanos);
        endpoint.port.count(UdpCounter.RD_OPENED);
    }

    /** {@return whether datagrams with that tag may still arrive from before a reopening} */
    boolean hadTag(int oldTag) {
        return opening != null && opening.oldTag != 0 && opening.oldTag == oldTag;
    }

    void owesAccept(Shim question) {
        answering = question.messageId();
        owes(DUE_ACCEPT);
    }

    void owes(byte what) {
        due |= what;
        changed();
    }

    /** The channel's state has changed: it may have a datagram to send, or an earlier timeout. */
    void changed() {
        endpoint.schedule.changed(this);
    }

    // ---- data

    private boolean certain() {
        return state == RdState.OPEN && opening == null;
    }

    /** {@return whether a new datagram may be sent to the peer} */
    boolean admits(long nowNanos) {
        if (state == RdState.ERROR) {
            since = nowNanos; // the program has not seen the error yet: its work is flushed in order
            endpoint.flushLater(this);
            return false;
        }
        if (!certain()) {
            return false;
        }
        if (halfOpen) {
            // datagram-iWARP §9.5, §11 (DG-11.1-21): the source address is not validated yet: send no data, and
            // request a challenge.
            endpoint.opener.confirm(this, nowNanos);
            return false;
        }
        if (transfer.idleFor(RdSettings.REOPEN_AFTER, nowNanos)) {
            endpoint.opener.reopen(this, nowNanos);
            return false;
        }
        return transfer.admits(nowNanos);
    }

    /** {@return the bytes on the path of a datagram with {@code payload} bytes of UDP payload} */
    int onPath(int payload) {
        return payload + peer.address().headers();
    }

    /** {@return the bytes of the largest datagram on a path that is searched; otherwise without limit} */
    private int largest() {
        return peer.path() instanceof PathMtuSearch path ? onPath(path.maximumDatagram()) : Integer.MAX_VALUE;
    }

    /** {@return whether the PATH-REPLY answers a PATH-PROBE of this channel} If so, its data about the path is used. */
    boolean asked(RdFields said, long nowNanos) {
        if (said.token == tag && transfer.silent()) {
            return true;
        }
        if (!(peer.path() instanceof PathMtuSearch path)) {
            return false;
        }
        int before = path.maximumDatagram();
        boolean answered = path.answered(said.token, said.length, said.takes, nowNanos);
        if (path.maximumDatagram() < before) {
            transfer.pathIsNarrow(largest(), nowNanos);
        }
        return answered;
    }

    /** A PATH-PROBE, or an expected PATH-REPLY, with our tag. Returns whether the channel is open. */
    boolean onPath(long nowNanos) {
        if (!certain()) {
            return false; // the channel is not confirmed yet
        }
        confirmed();
        moved(nowNanos);
        changed();
        return true;
    }

    /** Data was sent: probes the path's MTU if a probe is due. */
    private void probePath(long nowNanos) {
        if (peer.path() instanceof PathMtuSearch path && path.due(nowNanos)) {
            int size = path.poll(endpoint.port.random(), nowNanos);
            if (size > 0) {
                probeSize = (char) size;
                owes(DUE_PROBE);
            }
        }
    }

    /** A datagram of DATA was written. */
    void sent(OutboundMessage message, int index, int octets, boolean asked, long nowNanos) {
        transfer.sent(message, index, onPath(octets), asked, nowNanos);
        probePath(nowNanos);
        changed();
    }

    /** A datagram with flag D and our tag. */
    void onData(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        Shim shim = datagram.shim();
        if (state == RdState.ERROR) {
            since = nowNanos;
            answering = shim.messageId();
            owes(DUE_RESET); // again, whatever its reason (DG-11.1-13)
        } else if (state == RdState.OPEN && isPlausible(said.psn) && takesAck(said, nowNanos)) {
            received(transfer.onData(datagram.through(peer), said, nowNanos), shim, nowNanos);
        }
        // OPENING (DG-11.1-9): the peer's first PSN is unknown, as its RD-ACCEPT is late or lost; the peer repeats the
        // datagram.
    }

    /** RD-ACK with our tag. */
    void onAck(RdFields said, long nowNanos) {
        // While our RD-OPEN is outstanding no data is in flight; the peer will answer the RD-OPEN.
        if (state == RdState.OPEN && opening == null && takesAck(said, nowNanos)) {
            transfer.onReadiness(said, nowNanos);
            changed();
        }
    }

    /** After a forged RD-OPEN the PSNs of the real peer look wrong until its RD-ACCEPT corrects them (DG-11.1-21). */
    private boolean isPlausible(int psn) {
        return opening == null || Math.abs(Psn.distance(transfer.expected(), psn)) <= endpoint.settings.window();
    }

    private boolean takesAck(RdFields said, long nowNanos) {
        if (accepts == 1) {
            // datagram-iWARP §11: the first datagram with our tag answers our RD-ACCEPT, if only one was sent.
            transfer.onHandshake(nowNanos - acceptedAt, nowNanos);
            accepts = 2;
        }
        confirmed();
        moved(nowNanos);
        unheard = 0;
        return transfer.onAck(said, nowNanos) && state == RdState.OPEN;
    }

    /** The layer above may have room. Returns whether it accepted a datagram. */
    boolean onReady(long nowNanos) {
        int before = transfer.expected();
        if (state == RdState.OPEN) {
            received(transfer.onReady(nowNanos), null, nowNanos);
        }
        return transfer.expected() != before;
    }

    private void received(boolean sound, @Nullable Shim offender, long nowNanos) {
        if (state != RdState.OPEN) {
            return; // the layer above closed it
        }
        if (sound) {
            if (transfer.notReady()) {
                endpoint.schedule.await(this);
            }
            changed();
            return;
        }
        // A violation by the peer (DG-11.1-12): the datagram is not acknowledged; RD-RESET 2 with the code.
        TerminateCode code = endpoint.upper.refusal();
        answering = offender == null ? 0 : offender.messageId();
        close(NotifyBody.controlOf(code), nowNanos);
        tellLost(OperationStatus.WR_FLUSH_ERR, code, true, nowNanos);
    }

    // ---- ending

    /**
     * {@return whether an RD-RESET of the peer is to be processed} Not if it does not fit, or if many others of this
     * second did not fit: a tag of 32 bits is not to be guessed (DG-13-5).
     */
    boolean admitsReset(boolean fits, long nowNanos) {
        boolean anew = nowNanos - straySince >= AnswerSources.SECOND;
        if (!fits) {
            straySince = strayResets == 0 || anew ? nowNanos : straySince;
            strayResets = (char) (anew ? 1 : Math.min(MOST_STRAY_RESETS, strayResets + 1));
        }
        return fits && (strayResets < MOST_STRAY_RESETS || anew);
    }

    /** RD-RESET that fits this channel, of reason 1 or 3 (DG-11.6-1) or 2 (DG-11.6-5). */
    void onReset(RdResetReason reason, int controlOfPeer, long nowNanos) {
        if (reason != RdResetReason.REMOTE_ERROR) {
            RdOpening asked = opening;
            if (asked == null) {
                drop();
            } else {
                // Unconfirmed: the accepted RD-OPEN was of an end that is gone, or was forged. Our RD-OPEN continues
                // with the same tag: with new tags on both sides the opening might never end (DG-11.6-6).
                boolean unsent = take(DUE_OPEN);
                release();
                state = RdState.OPENING;
                opening = asked;
                due = unsent ? DUE_OPEN : 0;
                changed();
            }
            endRecords(nowNanos);
            return;
        }
        TerminateCode code =
                TerminateCode.of(controlOfPeer >>> 28, (controlOfPeer >>> 24) & 0xf, (controlOfPeer >>> 16) & 0xff);
        fail(code == null ? OperationStatus.REM_OP_ERR : code.requesterStatus(), code, nowNanos);
    }

    /** Ends records and jobs of the peer, and fails messages that were sent but not accepted. */
    void endRecords(long nowNanos) {
        tellLost(OperationStatus.PEER_RESET, null, false, nowNanos);
    }

    /** The channel has failed: ERROR, until the peer is reset. */
    private void fail(OperationStatus status, @Nullable TerminateCode code, long nowNanos) {
        enterError(nowNanos);
        tellLost(status, code, true, nowNanos);
    }

    private void tellLost(OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        endpoint.upper.onChannelLost(peer, status, code, all, nowNanos);
        if (all) {
            endpoint.onFailed(nowNanos);
        }
    }

    /** ERROR with an RD-RESET to the peer: 2 with a control, else 3. The caller notifies the layer above. */
    void close(int controlToSend, long nowNanos) {
        boolean tell = state == RdState.OPEN;
        enterError(nowNanos);
        control = controlToSend;
        if (tell) {
            owes(DUE_RESET);
        }
    }

    private void enterError(long nowNanos) {
        release();
        if (place != null) {
            place.rest(nowNanos); // kept until the program resets the peer, but evicted before all others
        }
        state = RdState.ERROR;
        since = nowNanos;
        endpoint.port.count(UdpCounter.RD_FAILED);
        changed();
    }

    private void release() {
        halfOpen(false);
        transfer.release();
        opening = null;
        due = 0;
    }

    /** Removes the channel without an RD-RESET. */
    void drop() {
        release();
        state = RdState.CLOSED;
        leavePlace();
        endpoint.remove(this);
    }

    /**
     * The queue pair is closed or stopped: removes the channel, with an RD-RESET if it was OPEN (DG-11.1-14,
     * DG-11.1-31).
     */
    void leave() {
        if (state == RdState.OPEN || take(DUE_RESET)) {
            endpoint.port.farewell(peer, peerTag, reason(), control);
        }
        drop();
    }

    private RdResetReason reason() {
        return control != 0 ? RdResetReason.REMOTE_ERROR : RdResetReason.CLOSED;
    }

    // ---- output and time

    /** {@return whether the channel has a datagram to send now} */
    boolean isDue() {
        return due != 0 || (state == RdState.OPEN && transfer.isDue());
    }

    /** Sends one datagram that is due; false if none is. */
    boolean emit(SegmentWriter writer, long nowNanos) {
        RdPort port = endpoint.port;
        if (take(DUE_RESET)) {
            port.reset(peer, peerTag, answering, reason(), control);
        } else if (take(DUE_OPEN)) {
            RdOpening asked = Objects.requireNonNull(opening);
            RdFields fields = said();
            fields.previousTag = asked.previousTag;
            port.open(peer, asked.messageId, fields, nowNanos);
            asked.sent(nowNanos);
        } else if (state != RdState.OPEN) {
            due = 0;
            return false;
        } else if (take(DUE_ACCEPT)) { // DG-11.1-2
            port.accept(peer, peerTag, answering, said());
            accepts = (byte) Math.min(2, accepts + 1);
            acceptedAt = nowNanos;
        } else if (take(DUE_PROBE)) {
            int size = probeSize;
            probeSize = 0;
            if (size > 0 && peer.path() instanceof PathMtuSearch path) {
                port.probe(peer, peerTag, (int) path.token(), size, path.token());
            } else {
                port.probe(peer, peerTag, tag, 0, tag); // always the same token, so that any answer counts
            }
        } else if (take(DUE_BARE_ACK)) {
            transfer.emitBareAck(peer, peerTag, nowNanos);
        } else {
            return transfer.emitAck(peer, peerTag, nowNanos) || repeats(writer, nowNanos);
        }
        return true;
    }

    /** {@return the fields of this end for RD-OPEN and RD-ACCEPT} */
    private RdFields said() {
        RdFields fields = endpoint.fields;
        fields.tag = tag;
        fields.psn = transfer.firstPsn();
        transfer.say(fields);
        return fields;
    }

    private boolean take(byte what) {
        boolean was = (due & what) != 0;
        due &= (byte) ~what;
        return was;
    }

    private boolean repeats(SegmentWriter writer, long nowNanos) {
        RdSender sender = transfer.repeating();
        if (sender == null) {
            return false;
        }
        endpoint.port.count(sender.probing() ? UdpCounter.RD_PROBES : UdpCounter.RD_REPEATED);
        if (sender.probing() && peer.path() instanceof PathMtuSearch path && ++unheard >= PathMtuSearch.SUSPICIOUS) {
            unheard = 0;
            path.suspect(nowNanos);
        }
        if (endpoint.repeat(this, sender.repeatMessage(), sender.repeatIndex(), writer, nowNanos)) {
            return true;
        }
        // The memory of unacknowledged data was deregistered (DG-11.1-26): RD-RESET 3, ERROR.
        close(0, nowNanos);
        tellLost(OperationStatus.WR_FLUSH_ERR, null, true, nowNanos);
        return false;
    }

    /** {@return when {@link #onTimeout} is wanted} DG-11.1-19. */
    long nextTimeout() {
        return switch (state) {
            case CLOSED -> Long.MAX_VALUE;
            case OPENING -> opensAt();
            case ERROR -> since + RdSettings.FORGET_AFTER;
            case OPEN ->
                Math.min(
                        Math.min(Math.min(transfer.nextTimeout(), probesAt()), opensAt()),
                        halfOpen ? since + RdSettings.HALF_OPEN : Long.MAX_VALUE);
        };
    }

    /** Datagrams in flight may be too long for the path, which only a probe can show. */
    private long probesAt() {
        return transfer.waits() && peer.path() instanceof PathMtuSearch path ? path.nextTimeout() : Long.MAX_VALUE;
    }

    private long opensAt() {
        return opening == null ? Long.MAX_VALUE : opening.nextTimeout();
    }

    void onTimeout(long nowNanos) {
        RdOpening asked = opening;
        if (asked != null && asked.repeats(nowNanos)) {
            owes(DUE_OPEN);
        } else if (asked != null && asked.expired(nowNanos)) {
            fail(OperationStatus.RETRY_EXC_ERR, null, nowNanos);
        } else if (state == RdState.OPEN) {
            if (probesAt() <= nowNanos) {
                probePath(nowNanos);
            }
            OperationStatus failure = transfer.onTimeout(largest(), nowNanos);
            if (failure == OperationStatus.PEER_RESET) { // the next channel has datagrams that the path takes
                endpoint.port.count(UdpCounter.RD_TOO_LONG);
                takeBack(nowNanos);
            } else if (failure != null) {
                fail(failure, null, nowNanos);
            } else if (transfer.asksPath()) {
                owes(DUE_PROBE);
            } else if ((halfOpen && nowNanos - since >= RdSettings.HALF_OPEN)
                    || transfer.idleFor(RdSettings.FORGET_AFTER, nowNanos)) {
                drop();
                endRecords(nowNanos);
            }
        } else if (state == RdState.ERROR && nowNanos - since >= RdSettings.FORGET_AFTER) {
            drop(); // both sides were silent for so long that a new channel may follow (DG-11.1-19)
        }
        changed();
    }
}
