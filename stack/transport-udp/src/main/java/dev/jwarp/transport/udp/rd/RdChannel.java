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
import dev.jwarp.transport.udp.path.KnownPath;
import dev.jwarp.transport.udp.source.Divided;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.PathFeatures;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reliable channel: one queue pair here, one at the peer, both directions (datagram-iWARP §11, whose table of states the
 * methods follow row by row). While nothing is outstanding it holds little: memory for what is under way, and for what came
 * out of order, comes from pools of the {@link RdEndpoint}. Owner thread only.
 *
 * <p>Long, as one table of states is read in one file.
 */
final class RdChannel extends TimerHeap.Entry implements ShareHolder, PathControl {
    // What is to be sent.
    static final byte DUE_OPEN = 2;
    static final byte DUE_BARE_ACK = 8;
    private static final byte DUE_PROBE = 16;
    private static final byte DUE_RESET = 1;
    private static final byte DUE_ACCEPT = 4;

    /** A channel that has sent so many datagrams asks what its peer can do; and again, but so often at most. */
    private static final int ASKS_AFTER = 16; // datagram-iWARP §10.1 (DG-10-16)

    private static final int ASKS_MOST = 3;
    private static final int ASKS_FACTOR = 8;

    // Links of RdSchedule.
    @Nullable
    RdChannel nextDue;

    @Nullable
    RdChannel nextWaiting;

    @Nullable
    RdChannel previousWaiting;

    boolean queued;
    boolean waiting;

    private final RdEndpoint endpoint;
    private final DatagramPeer peer;
    private final RdTransfer transfer;
    /** An RD-OPEN of ours is out. If the channel is open all the same, that was by an RD-OPEN, which may be forged. */
    private @Nullable RdOpening opening;

    private RdState state = RdState.CLOSED;
    private boolean ours;
    private boolean halfOpen;
    private byte due;
    /** Ours, which the peer has to show. The endpoint changes it. */
    int tag;

    private int peerTag;
    private int control;
    private int answering;
    private long since;
    /** RD-ACCEPTs sent, but no more than 2 are counted; and when the first was. */
    private byte accepts;

    private long acceptedAt;

    /** What the peer can do is known. */
    private boolean featuresKnown;

    private byte asks;
    /** Repetitions in succession because no acknowledgement came. */
    private byte unheard;
    /** Octets of UDP payload of the PATH-PROBE that is due; 0 for as few as can be. */
    private char probeSize;
    /** How many datagrams were sent, but no more are counted than matter. */
    private char sent;

    private int features;
    private @Nullable Share place;

    RdChannel(RdEndpoint endpoint, DatagramPeer peer, int tag, int firstPsn) {
        this.endpoint = endpoint;
        this.peer = peer;
        this.tag = tag;
        transfer = new RdTransfer(endpoint, this, firstPsn);
        peer.control(this);
    }

    // ---- what any thread may look at

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

    // ---- its place among all channels

    /** {@return whether it has got one} */
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

    /** Another peer needs the place (DG-11.1-25): it ends as if closed, in ERROR too, and may be opened anew. */
    @Override
    public void takeBack(long nowNanos) {
        if (state == RdState.OPEN && !halfOpen) {
            endpoint.port.displaced(peer, peerTag);
        }
        boolean failed = state == RdState.ERROR; // the layer above knows, or will be told
        drop();
        if (!failed) {
            endpoint.displaced(this);
        }
    }

    /** What it kept ahead has to go. */
    void stashTakenBack() {
        transfer.giveUpStash();
        changed();
    }

    private void leavePlace() {
        if (place != null) {
            place.leave();
            place = null;
        }
    }

    /** Something of the peer came: said now and then, as that is enough to know which one is idle. */
    private void moved(long nowNanos) {
        if (place != null && nowNanos - place.movedAt() >= RdSettings.IDLE_AFTER / 2) {
            place.moved(nowNanos);
        }
    }

    RdState state() {
        return state;
    }

    /** {@return the peer, in an object of this channel's own} */
    DatagramPeer peer() {
        return peer;
    }

    /** {@return the peer's tag, which we have to show} */
    int peerTag() {
        return peerTag;
    }

    /** {@return its data} */
    RdTransfer transfer() {
        return transfer;
    }

    boolean isOf(RdEndpoint owner) {
        return endpoint == owner;
    }

    boolean isWith(DatagramAddress address, int queuePairNumber) {
        return peer.queuePairNumber() == queuePairNumber && peer.address().equals(address);
    }

    /** This side has work for the peer, so it knows more of it than an RD-OPEN says. */
    void adopt(DatagramPeer known) {
        if (!ours) {
            ours = true;
            peer.set(known.address(), known.queuePairNumber(), known.key(), known.maximumDatagram());
        }
    }

    // ---- opening: see RdOpener

    /** {@return what is known of the opening that goes on, or null} */
    @Nullable
    RdOpening opening() {
        return opening;
    }

    void beOpening(RdOpening begun) {
        state = RdState.OPENING;
        opening = begun;
        owes(DUE_OPEN);
    }

    /** Whether no datagram has shown our tag yet. */
    void halfOpen(boolean now) {
        if (halfOpen != now) {
            halfOpen = now;
            endpoint.opener.onHalfOpen(now ? 1 : -1);
        }
    }

    /** OPEN by an RD-OPEN of the peer, and an RD-OPEN of ours is to find out whether it was the peer's. */
    void beConfirming(RdOpening begun) {
        opening = begun;
        owes(DUE_OPEN);
    }

    /** OPEN as the RD-OPEN says that met ours; ours goes on until a datagram shows our tag. */
    void beOpenUnconfirmed(RdFields said, RdOpening asked, long nowNanos) {
        boolean unsent = take(DUE_OPEN);
        beOpen(said, nowNanos);
        opening = asked;
        due = unsent ? DUE_OPEN : 0;
    }

    /** A datagram has shown our tag, which only the peer has been told. */
    void confirmed() {
        halfOpen(false);
        opening = null;
        due &= ~DUE_OPEN;
    }

    /** OPEN as the RD-OPEN or RD-ACCEPT of the peer says. */
    void beOpen(RdFields said, long nowNanos) {
        state = RdState.OPEN;
        opening = null;
        due = 0;
        peerTag = said.tag;
        forgetFeatures();
        accepts = 0;
        since = nowNanos;
        transfer.begin(said.psn, said.window, nowNanos);
        endpoint.port.count(UdpCounter.RD_OPENED);
    }

    /** The peer may be another one than before: it is asked again. */
    private void forgetFeatures() {
        features = 0;
        featuresKnown = false;
        asks = 0;
        sent = 0;
    }

    /** {@return whether datagrams with that tag may still be on their way from before an opening anew} */
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

    /** Its state has changed: it may have something to send, or want to be called earlier. */
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
            since = nowNanos; // who posts on has not seen the error yet, and is to be told of it in order
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

    /** {@return bytes on the path of a datagram with so many bytes of UDP payload} */
    int onPath(int payload) {
        return payload + peer.address().headers();
    }

    /** {@return what the peer can do, bits of {@link dev.jwarp.transport.udp.wire.PathFeatures}; 0 as long as it has not said so} */
    int peerFeatures() {
        return features;
    }

    /** {@return whether that PATH-REPLY answers a PATH-PROBE of this channel} What it says of the path is taken. */
    boolean asked(RdFields said, long nowNanos) {
        if (asks > 0 && said.token == token()) {
            return true;
        }
        if (!(peer.path() instanceof KnownPath path)) {
            return false;
        }
        int before = path.maximumDatagram();
        boolean answered = path.answered(said.token, said.length, said.takes, nowNanos);
        if (path.maximumDatagram() < before) {
            transfer.pathIsNarrow(nowNanos);
        }
        return answered;
    }

    private long token() {
        return ((long) tag << 32) | asks; // who has not seen the tag has no say here
    }

    /** PATH-PROBE, or the PATH-REPLY that was asked for, with our tag; answers whether the channel is open. */
    boolean onPath(int featuresOfPeer, long nowNanos) {
        if (!certain()) {
            return false; // what it is with that peer is not certain yet
        }
        confirmed();
        moved(nowNanos);
        features = featuresOfPeer;
        featuresKnown = true;
        if ((features & PathFeatures.RD_SACK) != 0) {
            transfer.speakSack();
        }
        transfer.answersProbes();
        changed();
        return true;
    }

    /** Asks what the peer can do, if it has not said so: an answer that was lost is asked for again after more has been sent. */
    private void askFeatures() {
        if (featuresKnown || asks >= ASKS_MOST || ++sent < ASKS_AFTER) {
            return;
        }
        int wanted = ASKS_AFTER;
        for (int i = 0; i < asks; i++) {
            wanted *= ASKS_FACTOR;
        }
        if (sent >= wanted) {
            owes(DUE_PROBE);
        }
    }

    /** Data goes there, so it may be time to see what the path takes. */
    private void probePath(long nowNanos) {
        if (peer.path() instanceof KnownPath path && path.search().due(nowNanos)) {
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
        askFeatures();
        probePath(nowNanos);
        changed();
    }

    /** D datagram with our tag. */
    void onData(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        Shim shim = datagram.shim();
        if (state == RdState.ERROR) {
            since = nowNanos;
            answering = shim.messageId();
            owes(DUE_RESET); // again, whatever it was the first time (DG-11.1-13)
        } else if (state == RdState.OPEN && isPlausible(said.psn) && takesAck(said, nowNanos)) {
            received(transfer.onData(datagram.through(peer), said, nowNanos), shim, nowNanos);
        }
        // OPENING (DG-11.1-9): its first PSN is not known, as its RD-ACCEPT is late or lost; it will send this again.
    }

    /** RD-ACK or RD-SACK with our tag. */
    void onAck(RdFields said, long nowNanos) {
        // While an RD-OPEN of ours is out there is nothing to acknowledge; a peer that has it will answer that.
        if (state == RdState.OPEN && opening == null && takesAck(said, nowNanos)) {
            transfer.onReadiness(said, nowNanos);
            changed();
        }
    }

    /** With PSNs from a forged datagram the peer's own look wrong: its RD-ACCEPT puts that right (DG-11.1-23). */
    private boolean isPlausible(int psn) {
        return opening == null || Math.abs(Psn.distance(transfer.expected(), psn)) <= endpoint.settings.window();
    }

    private boolean takesAck(RdFields said, long nowNanos) {
        if (accepts == 1) {
            // datagram-iWARP §11: what shows our tag first answers our RD-ACCEPT, if there was one only.
            transfer.onHandshake(nowNanos - acceptedAt, nowNanos);
            accepts = 2;
        }
        confirmed();
        moved(nowNanos);
        unheard = 0;
        return transfer.onAck(said, nowNanos) && state == RdState.OPEN;
    }

    /** The layer above may have room. Answers whether it took something. */
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
        // Violation by the peer (DG-11.1-12): that datagram is not acknowledged; RD-RESET 2 with the code.
        TerminateCode code = endpoint.upper.refusal();
        answering = offender == null ? 0 : offender.messageId();
        close(NotifyBody.controlOf(code), nowNanos);
        tellLost(OperationStatus.WR_FLUSH_ERR, code, true, nowNanos);
    }

    // ---- ending

    /** RD-RESET that fits this channel, of reason 1 or 3 (DG-11.6-1) or 2 (DG-11.6-5). */
    void onReset(RdResetReason reason, int controlOfPeer, long nowNanos) {
        if (reason != RdResetReason.REMOTE_ERROR) {
            RdOpening asked = opening;
            if (asked == null) {
                drop();
            } else {
                // Unconfirmed: the RD-OPEN that we took was of an end that is no more, or was forged. Ours goes on
                // with its tag: with a new one each time it would never end, if the peer does the same (DG-11.6-6).
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

    /** Records and jobs of the peer end, and what was sent and not accepted fails. */
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

    /** ERROR with an RD-RESET to the peer: 2 with a control, else 3. To tell the layer above is the caller's business. */
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
            place.rest(nowNanos); // it may stay until our own program resets it, but gives way before all others
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

    /** Gone without a word. */
    void drop() {
        release();
        state = RdState.CLOSED;
        leavePlace();
        endpoint.remove(this);
    }

    /** The queue pair goes, or stops: gone, with an RD-RESET if the peer still has the channel (DG-11.1-14, DG-11.1-31). */
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

    /** {@return whether it has a datagram to send now} */
    boolean isDue() {
        return due != 0 || (state == RdState.OPEN && transfer.isDue());
    }

    /** Sends one datagram that is due; false if there was none. */
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
            if (size > 0 && peer.path() instanceof KnownPath path) {
                port.probe(peer, peerTag, (int) path.token(), size, path.token());
            } else {
                if (asks == 0 || !transfer.silent()) { // else an answer to any of those counts
                    asks++;
                }
                port.probe(peer, peerTag, tag + asks, 0, token());
            }
        } else if (take(DUE_BARE_ACK)) {
            transfer.emitBareAck(peer, peerTag);
        } else {
            return transfer.emitAck(peer, peerTag, nowNanos) || repeats(writer, nowNanos);
        }
        return true;
    }

    /** {@return what this end says of itself in RD-OPEN and RD-ACCEPT} */
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
        if (sender.probing() && peer.path() instanceof KnownPath path && ++unheard >= KnownPath.SUSPICIOUS) {
            unheard = 0;
            path.search().suspect(nowNanos);
        }
        if (endpoint.repeat(this, sender.repeatMessage(), sender.repeatIndex(), writer, nowNanos)) {
            return true;
        }
        // Our own memory is gone with datagrams unacknowledged (DG-11.1-26): RD-RESET 3, ERROR.
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

    /** What is under way may be too long for the path, so that nothing comes back before a probe has shown it. */
    private long probesAt() {
        return transfer.waits() && peer.path() instanceof KnownPath path
                ? path.search().nextTimeout()
                : Long.MAX_VALUE;
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
            OperationStatus failure = transfer.onTimeout(nowNanos);
            if (failure != null) {
                fail(failure, null, nowNanos);
            } else if (transfer.asksPath()) {
                owes(DUE_PROBE);
            } else if ((halfOpen && nowNanos - since >= RdSettings.HALF_OPEN)
                    || transfer.idleFor(RdSettings.FORGET_AFTER, nowNanos)) {
                drop();
                endRecords(nowNanos);
            }
        } else if (state == RdState.ERROR && nowNanos - since >= RdSettings.FORGET_AFTER) {
            drop(); // neither side has had anything to say for so long: a new one may follow (DG-11.1-30)
        }
        changed();
    }
}
