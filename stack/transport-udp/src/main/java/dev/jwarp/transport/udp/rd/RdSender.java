package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.transport.udp.congestion.AckSample;
import dev.jwarp.transport.udp.congestion.CongestionControl;
import dev.jwarp.transport.udp.congestion.Cubic;
import dev.jwarp.transport.udp.congestion.LossDetector;
import dev.jwarp.transport.udp.congestion.LossSample;
import dev.jwarp.transport.udp.congestion.Pacer;
import dev.jwarp.transport.udp.congestion.RttEstimator;
import dev.jwarp.transport.udp.wire.RdAckBody;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a channel while datagrams are not accepted (datagram-iWARP §11): numbers them, and decides when a
 * datagram is repeated. A {@link LossDetector} finds lost datagrams, a {@link CongestionControl} limits the bytes in
 * flight, a {@link Pacer} spreads them over time. No data is copied. When all datagrams are accepted, the sending half
 * returns to a pool, and the state of the path stays with the channel. Owner thread only; allocates nothing after
 * construction.
 *
 * <p>Long, since numbers, losses, probes and the window change together at each acknowledgement; their computations are
 * in classes of their own.
 */
final class RdSender {
    private static final int PROBES = 2;
    /** Time-outs in a row that count as persistent congestion: RFC 9002 §7.6.1. */
    private static final int PERSISTENT = 3;
    /** Time-outs in a row after which a path counts as silent. */
    private static final int SILENT = 2;
    /** The least time-outs in a row before a peer is given up, however long its silence. */
    private static final int GIVE_UP = 5;
    /** Acknowledgements requested in each window; and the least number of datagrams between two requests. */
    private static final int ASKS_A_WINDOW = 32;

    private static final int ASKS_LEAST = 4;

    private final RdFlight flight;
    private final LossDetector losses = new LossDetector();
    private final RdOutage outage = new RdOutage();
    private final Pacer pacer = new Pacer();
    private final AckSample acked = new AckSample();
    private final LossSample lost = new LossSample();
    private RttEstimator path = new RttEstimator();
    private CongestionControl control = new Cubic();

    // PSNs: the oldest that is not accepted, and the next one to send.
    private int oldest;
    private int next;
    private int peerWindow;
    private boolean pathAsked;
    /** A probe has ended an outage, and no datagram sent since has been acknowledged. */
    private boolean pathDoubtful;

    /** The largest datagram, bytes on the path. */
    private int datagram;

    // Serial numbers of transmissions: the next one, the last one that requested an ack, and the end of this round
    // trip.
    private int serial;
    private int askedSerial;
    private int roundEnd;
    /** The latest PSN that has arrived. */
    private int farthest;

    /** Whether the window has limited sending in this round trip, and in the one before. */
    private boolean usedUp;

    private boolean usedUpBefore;

    private int probes;
    /** The probes in a row for which the oldest datagram was too long for the path. */
    private int tooLongProbes;
    /** Congestion control knows that the loss is persistent. */
    private boolean persistent;

    private int probesDue;
    private int probeFrom;
    // The datagrams of the last probe, and their transmissions before it.
    private final int[] probed = new int[PROBES];
    private final int[] probedSerials = new int[PROBES];
    private int probedCount;
    private long probeAt;
    private long probedAt;
    private long progressAt;
    /** The time since then by which timers were late, because the port did not run. */
    private long ownPauses;

    private boolean notReady;
    private long notReadySince;
    /** The peer has reported RNR since the last probe. */
    private boolean answered;
    /** Nothing sent on this channel has been acknowledged yet. */
    private boolean fresh;

    private int sinceAsked;

    // From selectRepeat to onSent: the datagram that is being repeated.
    private boolean repeating;
    private boolean probing;
    private int repeated;

    // Within onAck: the newly acknowledged datagrams.
    private long newlyAcked;
    private int newest;
    private long newestRoundTrip;
    private boolean needless;

    RdSender(int window) {
        flight = new RdFlight(window);
    }

    /**
     * Begins for a channel without outstanding datagrams.
     *
     * @param largest the bytes on the path of the largest datagram
     * @param window the peer's window: the datagrams ahead that it keeps
     */
    void bind(
            RttEstimator roundTrips,
            CongestionControl congestion,
            int largest,
            int firstPsn,
            int window,
            long nowNanos) {
        path = roundTrips;
        control = congestion;
        datagram = largest;
        oldest = firstPsn;
        next = firstPsn;
        farthest = firstPsn - 1;
        peerWindow = window;
        pathAsked = false;
        pathDoubtful = false;
        outage.end();
        serial = 0;
        askedSerial = -1;
        roundEnd = 0;
        usedUp = false;
        usedUpBefore = false;
        losses.begin();
        pacer.begin();
        control.begin(largest);
        beginProbes();
        probesDue = 0;
        probedCount = 0;
        probeAt = Long.MAX_VALUE;
        progress(nowNanos);
        notReady = false;
        fresh = false;
        sinceAsked = 0;
        repeating = false;
    }

    /** Begins a new channel: DG-11.4-1, at most 10 datagrams before the first acknowledgement, however small. */
    void beFresh() {
        fresh = true;
    }

    /** {@return whether a PATH-PROBE is to be sent to test the path} Resets this wish. */
    boolean asksPath() {
        boolean asks = pathAsked;
        pathAsked = false;
        return asks;
    }

    /** {@return whether the path is silent} */
    boolean silent() {
        return outage.goesOn();
    }

    /** A PATH-PROBE was answered: this ends an outage, and the datagrams in flight are lost (DG-11.3-19). */
    void onPathAnswer(long nowNanos) {
        if (!outage.goesOn()) {
            return;
        }
        outage.end();
        pathDoubtful = true;
        int count = 0;
        int latest = 0;
        for (; flight.underWay() > 0; count++) {
            int psn = flight.oldestUnderWay(oldest);
            latest = flight.serial(psn);
            flight.lose(psn);
        }
        if (count > 0) {
            losses.onLost(count, latest, serial);
        }
        if (!persistent) {
            control.onPersistentLoss(serial);
        }
        control.onPathReturned();
        beginProbes();
        probesDue = 0;
        probeAt = nowNanos + path.timeout();
    }

    /**
     * The path takes less than before: the oldest datagram is repeated at once if it is too long now, since its
     * fragments may arrive.
     *
     * @param largest the bytes on the path of the largest datagram
     */
    void pathIsNarrow(int largest, long nowNanos) {
        if (isTooLong(largest)) {
            probes = 0;
            probeAt = Math.min(probeAt, nowNanos);
        }
    }

    private boolean isTooLong(int largest) {
        return !idle() && flight.size(oldest) > largest;
    }

    /** {@return the oldest PSN that was sent and is not accepted; the next one if there is none} */
    int oldest() {
        return oldest;
    }

    /** {@return the PSN of the next new datagram} */
    int next() {
        return next;
    }

    /** {@return whether the peer has no room for the datagram that it expects} */
    boolean notReady() {
        return notReady;
    }

    /** {@return whether all sent datagrams are accepted} */
    boolean idle() {
        return oldest == next;
    }

    /** {@return whether the oldest datagram has been outstanding for that time without news of the peer} */
    boolean waits(long nanos, long nowNanos) {
        return nowNanos - progressAt >= nanos;
    }

    /** {@return the peer's window} */
    int peerWindow() {
        return peerWindow;
    }

    /**
     * {@return whether a new datagram may be sent, apart from the pace} DG-11.3-2; not while the peer is not ready
     * (DG-11.3-7).
     */
    boolean admits() {
        if (flight.inFlight() + datagram > control.window() && flight.inFlight() > 0) {
            usedUp = true;
            return false;
        }
        if (fresh && flight.underWay() >= CongestionControl.FIRST_DATAGRAMS) {
            return false;
        }
        return !notReady && flight.lost() == 0 && Psn.distance(oldest, next) < limit();
    }

    /** {@return when the pace lets a new datagram leave that {@link #admits}} */
    long admittedAt(long nowNanos) {
        long at = Pacer.paces(path.least()) ? pacer.admittedAt() : Long.MIN_VALUE;
        if (at > nowNanos) {
            pacer.waits();
            // RFC 9002 §7.8: a sender that waits for the pace is not limited by the program.
            usedUp |= flight.inFlight() >= control.window() / 2;
        }
        return at;
    }

    private int limit() {
        return Math.min(peerWindow, flight.capacity());
    }

    /** {@return whether a datagram is to be repeated now} */
    boolean wantsRepeat() {
        return probesDue > 0
                || (!notReady && flight.lost() > 0 && (flight.inFlight() < control.window() || flight.inFlight() == 0));
    }

    /** Selects a datagram to repeat, see {@link #repeatMessage} and {@link #repeatIndex}; false if there is none. */
    boolean selectRepeat() {
        if (probesDue > 0) {
            // DG-11.3-4: the oldest first, even if a SACK word acknowledged it: a receiver that is not ready keeps it,
            // and answers when it is probed.
            int psn = probesDue == PROBES ? oldest : Psn.before(probeFrom, oldest) ? oldest : probeFrom;
            while (probesDue < PROBES && psn != next && flight.acked(psn)) {
                psn++;
            }
            probesDue--;
            if (psn != next) {
                probeFrom = psn + 1;
                probing = true;
                return select(psn);
            }
            probesDue = 0;
        }
        if (!wantsRepeat()) {
            return false;
        }
        probing = false;
        return select(flight.firstLost(oldest));
    }

    private boolean select(int psn) {
        repeating = true;
        repeated = psn;
        return true;
    }

    OutboundMessage repeatMessage() {
        return flight.message(repeated);
    }

    int repeatIndex() {
        return flight.index(repeated);
    }

    /** {@return whether the chosen repetition is a probe} */
    boolean probing() {
        return probing;
    }

    /** {@return the PSN of the datagram being written} A repetition keeps its own (DG-11.3-1). */
    int psn() {
        return repeating ? repeated : next;
    }

    /**
     * {@return whether the datagram being written requests an ack, as the last one for now does} DG-11.3-4, DG-11.3-6.
     */
    boolean asks(boolean lastOfMessage) {
        long window = control.window() / datagram;
        // Twice in a window, else the whole flight would arrive before the next datagram can leave.
        long least = Math.min(ASKS_LEAST, window / 2);
        if (sinceAsked + 1 >= Math.max(least, Math.min(RdSettings.ACK_EVERY, window / ASKS_A_WINDOW))) {
            return true;
        }
        if (repeating) {
            return probing || flight.lost() <= 1;
        }
        boolean full =
                flight.inFlight() + 2L * datagram > control.window() || Psn.distance(oldest, next) + 1 >= limit();
        // One request in flight suffices.
        return lastOfMessage || (full && askedSerial - losses.newest() <= 0);
    }

    /**
     * The datagram being written is written.
     *
     * @param bytes the bytes on the path
     */
    void onSent(OutboundMessage message, int index, int bytes, boolean asked, long nowNanos) {
        int psn = psn();
        boolean probe = repeating && probing;
        if (repeating) {
            repeating = false;
            if (probe && !flight.waits(psn) && !flight.acked(psn) && probedCount < PROBES) {
                probed[probedCount] = psn;
                probedSerials[probedCount++] = flight.serial(psn);
            }
            flight.again(psn);
        } else {
            if (idle()) {
                progress(nowNanos);
            }
            flight.add(oldest, psn, message, index);
            next++;
        }
        flight.sent(psn, bytes, serial, asked, nowNanos);
        if (asked) {
            askedSerial = serial;
        }
        serial++;
        control.onSent(bytes);
        long rate = Pacer.paces(path.least()) ? control.rate() : 0;
        if (rate > 0) {
            pacer.sent(bytes, rate, Pacer.burst(path.least(), datagram, rate), nowNanos);
        }
        sinceAsked = asked ? 0 : sinceAsked + 1;
        if (!probe) {
            probeAt = nowNanos + path.timeout(probes);
        }
    }

    /**
     * Processes Ack, Window and SACK words, and reports newly accepted messages to the layer above.
     *
     * @return false if PSNs that were never sent are acknowledged; then nothing is changed (DG-11.3-5)
     */
    boolean onAck(RdFields said, DatagramUpperLayer upper, long nowNanos) {
        int ack = said.ack;
        int accepted = Psn.distance(oldest, ack);
        if (accepted < 0) {
            return true; // an old one: the peer may have discarded the datagrams of its words since (DG-11.3-5)
        }
        if (accepted + beyond(said) > Psn.distance(oldest, next)) {
            return false;
        }
        newlyAcked = 0;
        lost.datagrams = 0;
        lost.bytes = 0;
        newestRoundTrip = AckSample.NO_ROUND_TRIP;
        needless = false;
        for (int psn = oldest; psn != ack; psn++) {
            acknowledge(psn, said, nowNanos);
        }
        for (int word = 0; word < said.count; word++) {
            // datagram-iWARP §4.4 (DG-4.4-6): bit i of word w, the most significant first, is PSN ack + 1 + 64 w + i.
            for (long bits = said.words[word]; bits != 0; ) {
                int bit = Long.numberOfLeadingZeros(bits);
                bits &= ~(Long.MIN_VALUE >>> bit);
                acknowledge(ack + 1 + (said.firstWord + word) * Long.SIZE + bit, said, nowNanos);
            }
        }
        if (!said.late) {
            peerWindow = Math.max(1, said.window);
        }
        if (accepted > 0) {
            progress(nowNanos);
            notReady = false;
            report(ack, upper, nowNanos);
        }
        if (newlyAcked > 0) {
            learn(accepted > 0, nowNanos);
        }
        return true;
    }

    /** {@return the number of PSNs from Ack to the last one that a SACK word acknowledges} */
    static int beyond(RdFields said) {
        for (int word = said.count - 1; word >= 0; word--) {
            if (said.words[word] != 0) {
                return 1 + (said.firstWord + word + 1) * Long.SIZE - Long.numberOfTrailingZeros(said.words[word]);
            }
        }
        return 0;
    }

    private void acknowledge(int psn, RdFields said, long nowNanos) {
        if (flight.acked(psn)) {
            return;
        }
        int t = flight.serial(psn);
        long elapsed = nowNanos - flight.sentAt(psn);
        boolean again = flight.repeated(psn);
        // DG-11.3-18, RFC 8985 §6.2 step 2: sooner than any round trip after a repetition, the ack is for an earlier
        // one.
        boolean counts = !flight.waits(psn) && (!again || elapsed >= path.least());
        if (newlyAcked == 0 || t - newest > 0) {
            newest = t;
            if (!said.alone) {
                // datagram-iWARP §11.3: a sample only if the newest datagram was sent once and requested the ack
                // (DG-11.3-18, RFC 8961 §4 (2) (d): no ambiguous samples).
                newestRoundTrip = !again && flight.asked(psn) ? elapsed : AckSample.NO_ROUND_TRIP;
            }
        }
        if (said.alone && psn == said.echo && !again) {
            newestRoundTrip = roundTrip(elapsed, said.delay);
        }
        newlyAcked += flight.size(psn);
        if (counts && again) {
            blame(psn);
        }
        if (counts) {
            losses.onArrived(t, flight.sentAt(psn), nowNanos);
        } else if (flight.wasLost(psn)) {
            flight.forgive(psn);
            needless |= losses.onNeedless(serial);
        }
        if (Psn.before(farthest, psn)) {
            farthest = psn;
        } else if (!again) {
            losses.onReordered();
        }
        flight.acknowledge(psn);
    }

    /** DG-11.3-14, RFC 8985 §7.4.2: if only a probe delivered a datagram, its earlier transmission counts as lost. */
    private void blame(int psn) {
        for (int i = 0; i < probedCount; i++) {
            if (probed[i] == psn) {
                if (lost.datagrams == 0 || probedSerials[i] - lost.newestSerial > 0) {
                    lost.newestSerial = probedSerials[i];
                }
                lost.datagrams++;
                lost.bytes += flight.size(psn);
                flight.blame(psn);
            }
        }
    }

    private boolean wasProbed(int psn) {
        return (probedCount > 0 && probed[0] == psn) || (probedCount > 1 && probed[1] == psn);
    }

    /** DG-11.3-18: subtracts the peer's delay, if the rest is a possible round trip (RFC 9002 §5.3). */
    private long roundTrip(long elapsed, int delay) {
        long without = elapsed - (long) delay * RdAckBody.DELAY_UNIT_NANOS;
        return without >= path.least() ? without : elapsed;
    }

    /** The peer has received a datagram twice: a repetition because of loss was needless (DG-11.3-14, RFC 3708). */
    void onDuplicate(int psn) {
        int back = Psn.distance(psn, next);
        if (back <= 0) {
            return;
        }
        if (back > flight.slots()) {
            losses.onLate(serial); // too long ago to know the datagram
        } else if (flight.wasLost(psn) && (wasProbed(psn) || losses.inEpisode(flight.serial(psn)))) {
            flight.forgive(psn);
            if (losses.onNeedless(serial)) {
                control.onNeedlessRepeat();
            }
        }
    }

    private void report(int ack, DatagramUpperLayer upper, long nowNanos) {
        while (oldest != ack) {
            OutboundMessage message = flight.take(oldest++);
            int segments = 1;
            while (oldest != ack && flight.message(oldest) == message) {
                flight.take(oldest++);
                segments++;
            }
            upper.onAccepted(message, segments, nowNanos);
        }
    }

    /** Updates path and congestion control after datagrams were newly acknowledged. */
    private void learn(boolean oldestToo, long nowNanos) {
        fresh = false;
        beginProbes();
        probesDue = 0;
        outage.end();
        pathDoubtful = false;
        if (newestRoundTrip != AckSample.NO_ROUND_TRIP) {
            path.sample(newestRoundTrip, nowNanos);
        }
        losses.onAcked();
        loseOvertaken(nowNanos);
        acked.now = nowNanos;
        acked.ackedBytes = newlyAcked;
        acked.inFlight = flight.inFlight();
        acked.roundTrip = newestRoundTrip;
        acked.smoothed = path.smoothed();
        acked.least = path.least();
        acked.newestSerial = losses.newest();
        acked.nextSerial = serial;
        acked.safe = oldestToo && lost.datagrams == 0;
        acked.windowLimited = windowLimited();
        control.onAcked(acked);
        if (losses.newest() - roundEnd >= 0) {
            roundEnd = serial;
            usedUpBefore = usedUp;
            usedUp = false;
        }
        if (needless) {
            control.onNeedlessRepeat();
        }
        probeAt = nowNanos + path.timeout();
    }

    /** {@return whether the window, not the program, has limited sending recently} */
    private boolean windowLimited() {
        return usedUp || usedUpBefore;
    }

    /** DG-11.3-3: a datagram that was overtaken for long enough counts as lost. */
    private void loseOvertaken(long nowNanos) {
        long blamed = lost.bytes;
        int ahead = Psn.distance(oldest, next) - flight.underWay() - flight.lost();
        while (flight.underWay() > 0) {
            int psn = flight.oldestUnderWay(oldest);
            if (!losses.overtaken(flight.serial(psn)) || losses.lostAt(flight.sentAt(psn), ahead, path) > nowNanos) {
                break;
            }
            lost.datagrams++;
            lost.bytes += flight.size(psn);
            if (lost.datagrams == 1 || flight.serial(psn) - lost.newestSerial > 0) {
                lost.newestSerial = flight.serial(psn);
            }
            flight.lose(psn);
        }
        if (lost.datagrams > 0) {
            lost.inFlight = flight.inFlight();
            lost.acked = newlyAcked - blamed;
            lost.windowLimited = windowLimited();
            lost.nextSerial = serial;
            losses.onLost(lost.datagrams, lost.newestSerial, serial);
            control.onLost(lost);
        }
    }

    /** Processes flag RNR of the last ack: whether the peer has no room for the datagram that it expects. */
    void onReadiness(RdFields said, long nowNanos) {
        if (said.late || said.ack != oldest || idle()) {
            return;
        }
        if (!said.notReady) {
            if (flight.acked(oldest)) {
                loseForgotten(said);
            }
            if (notReady) {
                notReady = false;
                beginProbes();
                probeAt = nowNanos + path.timeout();
            }
            return;
        }
        outage.end(); // the peer answers
        if (!notReady) {
            notReady = true;
            notReadySince = nowNanos;
        }
        answered = true;
        progress(nowNanos); // the peer is alive
    }

    /** The peer has discarded datagrams that SACK words acknowledged, except for those in its words now (DG-11.3-8). */
    private void loseForgotten(RdFields said) {
        for (int psn = oldest; psn != next; psn++) {
            int bit = Psn.distance(oldest, psn) - 1;
            int word = (bit >> 6) - said.firstWord;
            // The words do not cover PSNs before the first word, or beyond the most words.
            boolean silent = bit >= 0 && (word < 0 || word >= RdAckBody.MAXIMUM_WORDS);
            boolean named =
                    bit >= 0 && word >= 0 && word < said.count && (said.words[word] & (Long.MIN_VALUE >>> bit)) != 0;
            if (flight.acked(psn) && !named && !silent) {
                flight.lose(psn);
            }
        }
    }

    /** The peer has reopened the channel with the same numbers: all datagrams that are not accepted are repeated. */
    void restart(int window, long nowNanos) {
        outage.end();
        peerWindow = window;
        for (int psn = oldest; psn != next; psn++) {
            flight.lose(psn);
        }
        notReady = false;
        beginProbes();
        probesDue = 0;
        progress(nowNanos);
        probeAt = nowNanos + path.timeout();
    }

    /** No probe has been sent since the last news of the peer. */
    private void beginProbes() {
        probes = 0;
        tooLongProbes = 0;
        persistent = false;
    }

    private void progress(long nowNanos) {
        progressAt = nowNanos;
        ownPauses = 0;
    }

    private long lossAt() {
        if (flight.underWay() == 0) {
            return Long.MAX_VALUE;
        }
        int psn = flight.oldestUnderWay(oldest);
        int ahead = Psn.distance(oldest, next) - flight.underWay() - flight.lost();
        return losses.overtaken(flight.serial(psn)) ? losses.lostAt(flight.sentAt(psn), ahead, path) : Long.MAX_VALUE;
    }

    private long giveUpAt(long giveUpNanos) {
        // At least five probes, with time for an answer to the last one. Pauses of this side are subtracted: they must
        // not look like the peer's silence.
        return probes < GIVE_UP
                ? Long.MAX_VALUE
                : Math.max(progressAt + ownPauses + giveUpNanos, probedAt + path.timeout());
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout(long giveUpNanos) {
        if (idle()) {
            return Long.MAX_VALUE;
        }
        long at = Math.min(Math.min(lossAt(), probeAt), Math.min(outage.askAt(), giveUpAt(giveUpNanos)));
        return notReady ? Math.min(at, notReadySince + RdSettings.NOT_READY) : at;
    }

    /**
     * {@return the failure of the channel, or null} PEER_RESET: fragments of a datagram that is too long for the path
     * do not arrive.
     *
     * @param largest the bytes on the path of the largest datagram
     */
    @Nullable
    OperationStatus onTimeout(long giveUpNanos, int largest, long nowNanos) {
        if (idle()) {
            return null;
        }
        lost.datagrams = 0;
        lost.bytes = 0;
        newlyAcked = 0;
        loseOvertaken(nowNanos);
        if (nowNanos > probeAt) { // datagram-iWARP §11 (DG-11.1-27): no probe was sent meanwhile
            ownPauses += nowNanos - probeAt;
            notReadySince += nowNanos - probeAt;
        }
        if (notReady && nowNanos - notReadySince >= RdSettings.NOT_READY) {
            return OperationStatus.RNR_RETRY_EXC_ERR; // DG-11.3-7
        }
        if (nowNanos >= giveUpAt(giveUpNanos)) {
            return OperationStatus.RETRY_EXC_ERR; // DG-11.1-27
        }
        if (nowNanos >= probeAt) {
            tooLongProbes = !notReady && isTooLong(largest) ? tooLongProbes + 1 : 0;
            if (tooLongProbes > PERSISTENT) {
                return OperationStatus.PEER_RESET; // DG-11.3-23
            }
            probes++;
            probesDue = PROBES;
            probedCount = 0;
            probedAt = nowNanos;
            if (probes >= PERSISTENT && !persistent && !notReady) {
                control.onPersistentLoss(serial);
                persistent = true;
            }
            // Answered probes are not lost, so the path is not congested (DG-11.3-7).
            long wait = path.timeout(probes);
            probeAt = nowNanos + (notReady && answered ? Math.min(RdSettings.NOT_READY_PROBE, wait) : wait);
            answered = false;
            // RFC 8961 §4 (4): if only small datagrams come through (pathDoubtful), their answers must not speed up the
            // repetitions of data.
            if (probes >= SILENT && !notReady && !pathDoubtful) {
                outage.begin(path.least(), nowNanos);
            }
        }
        if (nowNanos >= outage.askAt()) {
            pathAsked = true;
            outage.asked(nowNanos);
        }
        return null;
    }

    /** {@return whether a datagram of that message is outstanding} */
    boolean carries(OutboundMessage message) {
        for (int psn = oldest; psn != next; psn++) {
            if (flight.message(psn) == message) {
                return true;
            }
        }
        return false;
    }

    /** {@return the number of slots} */
    int slots() {
        return flight.slots();
    }

    /** Releases memory that only a fast channel needs; no datagram may be outstanding. */
    void shrink() {
        flight.shrink();
    }

    /** Discards all outstanding datagrams. */
    void clear() {
        if (!idle()) {
            flight.clear();
        }
        oldest = next;
    }
}
