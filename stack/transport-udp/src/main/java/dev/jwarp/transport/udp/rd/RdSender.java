package dev.jwarp.transport.udp.rd;

import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.llp.datagram.DatagramUpperLayer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a channel while datagrams of it are not accepted (datagram-iWARP §11): numbers them, finds out which
 * were lost, and says when which is to be written again. It keeps no copy of any data. When everything is accepted it goes
 * back to a pool; what it learned of the path stays with the channel. Owner thread only; allocates nothing once made.
 */
final class RdSender {
    private static final int REORDERING = 3;
    private static final int PROBES = 2;
    private static final int PROBES_TO_COLLAPSE = 3;

    /** Its place in the pool of free ones. */
    @Nullable
    RdSender nextFree;

    private final RdFlight flight;
    private RoundTrip roundTrip = new RoundTrip();
    private RdCongestion congestion = new RdCongestion(0);

    // PSNs: the oldest that is not accepted, and the one after the newest sent.
    private int oldest;
    private int next;
    private int peerWindow;

    // Serial numbers of transmissions: of the next one, and the highest acknowledged.
    private int serial;
    private int highest;
    private long highestAt;

    private int probes;
    private int probesDue;
    private int probeFrom;
    private long probeAt;
    private long progressAt;
    /** Since then: by how much timers were late, because the port did not run. */
    private long ownPauses;

    private boolean notReady;
    private long notReadySince;
    private int sinceAsked;

    // Within selectRepeat and onSent: what is being written again.
    private boolean repeating;
    private boolean probing;
    private int repeated;

    // Within onAck: what it newly acknowledges.
    private int newlyAcked;
    private int newest;
    private long newestRoundTrip;
    private boolean anyCounts;
    private int newestCounting;

    RdSender(int window) {
        flight = new RdFlight(window);
    }

    /** Begins for a channel that has nothing outstanding. */
    void bind(RoundTrip path, RdCongestion control, int firstPsn, int window, long nowNanos) {
        roundTrip = path;
        congestion = control;
        oldest = firstPsn;
        next = firstPsn;
        peerWindow = window;
        serial = 0;
        highest = -1;
        probes = 0;
        probesDue = 0;
        probeAt = Long.MAX_VALUE;
        progress(nowNanos);
        notReady = false;
        sinceAsked = 0;
        repeating = false;
        congestion.begin(0);
    }

    /** {@return the PSN that is not accepted, and was sent, first; the next one if there is none} */
    int oldest() {
        return oldest;
    }

    /** {@return whether all that was sent is accepted} */
    boolean idle() {
        return oldest == next;
    }

    /** {@return whether the peer has said nothing new of the oldest for so long} */
    boolean waits(long nanos, long nowNanos) {
        return nowNanos - progressAt >= nanos;
    }

    /** {@return the peer's window} */
    int peerWindow() {
        return peerWindow;
    }

    /** {@return whether a new datagram may be sent} DG-11.3-2; not while the peer is not ready (DG-11.3-7). */
    boolean admits() {
        if (flight.underWay() >= congestion.window()) {
            congestion.onUsedUp();
            return false;
        }
        return !notReady && flight.lost() == 0 && Psn.distance(oldest, next) < limit();
    }

    private int limit() {
        return Math.min(peerWindow, flight.capacity());
    }

    /** {@return whether something is to be sent again now} */
    boolean wantsRepeat() {
        return probesDue > 0 || (!notReady && flight.lost() > 0 && flight.underWay() < congestion.window());
    }

    /** Chooses what to send again; true if there is something: {@link #repeatMessage} and {@link #repeatIndex} name it. */
    boolean selectRepeat() {
        if (probesDue > 0) {
            // DG-11.3-4: the oldest first, even if a SACK word had it: a receiver that is not ready keeps it and
            // wants to be asked.
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

    Object repeatMessage() {
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

    /** {@return whether the datagram being written asks for an ack: the last for now does} DG-11.3-4, DG-11.3-6. */
    boolean asks(boolean lastOfMessage) {
        if (sinceAsked + 1 >= RdSettings.ACK_EVERY || flight.underWay() + 1 >= congestion.window()) {
            return true;
        }
        return repeating ? probing || flight.lost() <= 1 : lastOfMessage || Psn.distance(oldest, next) + 1 >= limit();
    }

    /** The datagram being written is written. */
    void onSent(Object message, int index, boolean asked, long nowNanos) {
        boolean probe = repeating && probing;
        if (repeating) {
            repeating = false;
            flight.repeat(repeated, serial, asked, nowNanos);
        } else {
            if (idle()) {
                progress(nowNanos);
            }
            flight.add(next, message, index, serial, asked, nowNanos);
            next++;
        }
        serial++;
        congestion.onSent();
        sinceAsked = asked ? 0 : sinceAsked + 1;
        if (!probe) {
            probeAt = nowNanos + roundTrip.probe(probes);
        }
    }

    /**
     * Takes Ack, Window and SACK words; the ack goes up as far as it is new.
     *
     * @return false if it acknowledges what was never sent: nothing was done (DG-11.3-5)
     */
    boolean onAck(RdFields said, DatagramUpperLayer upper, long nowNanos) {
        int ack = said.ack;
        int accepted = Psn.distance(oldest, ack);
        if (accepted < 0) {
            return true; // an old one that was overtaken
        }
        if (accepted + beyond(said.words, said.count) > Psn.distance(oldest, next)) {
            return false;
        }
        newlyAcked = 0;
        anyCounts = false;
        for (int psn = oldest; psn != ack; psn++) {
            acknowledge(psn, nowNanos);
        }
        for (int word = 0; word < said.count; word++) {
            // datagram-iWARP §4.4 (DG-4.4-6): bit i of word w, the most significant first, is PSN ack + 1 + 64 w + i.
            for (long bits = said.words[word]; bits != 0; ) {
                int bit = Long.numberOfLeadingZeros(bits);
                bits &= ~(Long.MIN_VALUE >>> bit);
                acknowledge(ack + 1 + word * Long.SIZE + bit, nowNanos);
            }
        }
        peerWindow = Math.max(1, said.window);
        if (accepted > 0) {
            progress(nowNanos);
            notReady = false;
            report(ack, upper, nowNanos);
        }
        if (newlyAcked > 0) {
            learn(nowNanos);
        }
        return true;
    }

    /** How many PSNs, counted from Ack, the SACK words say something of. */
    private static int beyond(long[] words, int count) {
        for (int word = count - 1; word >= 0; word--) {
            if (words[word] != 0) {
                return 1 + (word + 1) * Long.SIZE - Long.numberOfTrailingZeros(words[word]);
            }
        }
        return 0;
    }

    private void acknowledge(int psn, long nowNanos) {
        if (flight.acked(psn)) {
            return;
        }
        newlyAcked++;
        int t = flight.serial(psn);
        long elapsed = nowNanos - flight.sentAt(psn);
        boolean again = flight.repeated(psn);
        if (newlyAcked == 1 || t - newest > 0) {
            newest = t;
            // datagram-iWARP §11: a sample only if the newest of them was sent once, and had asked for the ack.
            newestRoundTrip = !again && flight.asked(psn) ? elapsed : -1;
        }
        // datagram-iWARP §11: an ack sooner than any round trip after a repetition is for the transmission before it.
        if ((!again || elapsed >= roundTrip.least()) && (!anyCounts || t - newestCounting > 0)) {
            anyCounts = true;
            newestCounting = t;
        }
        flight.acknowledge(psn);
    }

    private void report(int ack, DatagramUpperLayer upper, long nowNanos) {
        while (oldest != ack) {
            Object message = flight.take(oldest++);
            int segments = 1;
            while (oldest != ack && flight.message(oldest) == message) {
                flight.take(oldest++);
                segments++;
            }
            upper.onAccepted(message, segments, nowNanos);
        }
    }

    private void learn(long nowNanos) {
        probes = 0;
        probesDue = 0;
        if (newestRoundTrip >= 0) {
            roundTrip.sample(newestRoundTrip, nowNanos);
            congestion.onRoundTrip(newestRoundTrip);
        }
        congestion.onAcked(newlyAcked, peerWindow);
        if (anyCounts && newestCounting - highest > 0) {
            highest = newestCounting;
            highestAt = nowNanos;
            // datagram-iWARP §11 (DG-11.3-3): lost if a transmission at least 3 later has arrived.
            loseBefore(highest - REORDERING + 1);
            congestion.onSerialAcked(highest, serial, roundTrip.least(), peerWindow);
        }
        probeAt = nowNanos + roundTrip.probe();
    }

    private void loseBefore(int limit) {
        while (flight.underWay() > 0) {
            int psn = flight.oldestUnderWay(oldest);
            if (flight.serial(psn) - limit >= 0) {
                return;
            }
            flight.lose(psn);
            congestion.onLost();
        }
    }

    /** The ack just taken says, or does not say, that the peer has no room for the datagram it expects. */
    void onReadiness(RdFields said, long nowNanos) {
        if (said.ack != oldest || idle()) {
            return;
        }
        if (!said.notReady) {
            if (flight.acked(oldest)) {
                loseForgotten(said.words, said.count);
            }
            if (notReady) {
                notReady = false;
                probes = 0;
                probeAt = nowNanos + roundTrip.probe();
            }
            return;
        }
        if (!notReady) {
            notReady = true;
            notReadySince = nowNanos;
        }
        progress(nowNanos); // it is alive, and says what it lacks
    }

    /** The peer misses what a SACK word had: it had to give up what it kept, but for what its words name (DG-11.3-8). */
    private void loseForgotten(long[] words, int count) {
        for (int psn = oldest; psn != next; psn++) {
            int bit = Psn.distance(oldest, psn) - 1;
            boolean named =
                    bit >= 0 && bit / Long.SIZE < count && (words[bit / Long.SIZE] & (Long.MIN_VALUE >>> bit)) != 0;
            if (flight.acked(psn) && !named) {
                flight.lose(psn);
            }
        }
    }

    /** The peer begins anew behind the same numbers: everything not accepted has to be sent again. */
    void restart(int window, long nowNanos) {
        peerWindow = window;
        for (int psn = oldest; psn != next; psn++) {
            flight.lose(psn);
        }
        notReady = false;
        probes = 0;
        probesDue = 0;
        progress(nowNanos);
        probeAt = nowNanos + roundTrip.probe();
    }

    private void progress(long nowNanos) {
        progressAt = nowNanos;
        ownPauses = 0;
    }

    private long lossAt() {
        boolean overtaken = flight.underWay() > 0 && highest - flight.serial(flight.oldestUnderWay(oldest)) > 0;
        return overtaken ? highestAt + roundTrip.reordering() : Long.MAX_VALUE;
    }

    private long giveUpAt(long giveUpNanos) {
        // At least three probes, and by the time in which we ran: a pause
        // of our own must not look like the peer's silence.
        return probes < PROBES_TO_COLLAPSE ? Long.MAX_VALUE : progressAt + ownPauses + giveUpNanos;
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout(long giveUpNanos) {
        if (idle()) {
            return Long.MAX_VALUE;
        }
        long at = Math.min(Math.min(lossAt(), probeAt), giveUpAt(giveUpNanos));
        return notReady ? Math.min(at, notReadySince + RdSettings.NOT_READY) : at;
    }

    /** {@return how the channel has failed, or null} */
    @Nullable
    OperationStatus onTimeout(long giveUpNanos, long nowNanos) {
        if (idle()) {
            return null;
        }
        if (nowNanos >= lossAt()) {
            loseBefore(highest);
        }
        if (nowNanos > probeAt) { // datagram-iWARP §11 (DG-11.1-22): the peer was not asked meanwhile
            ownPauses += nowNanos - probeAt;
            notReadySince += nowNanos - probeAt;
        }
        if (notReady && nowNanos - notReadySince >= RdSettings.NOT_READY) {
            return OperationStatus.RNR_RETRY_EXC_ERR;
        }
        if (nowNanos >= giveUpAt(giveUpNanos)) {
            return OperationStatus.RETRY_EXC_ERR;
        }
        if (nowNanos >= probeAt) {
            probes++;
            probesDue = PROBES;
            if (probes == PROBES_TO_COLLAPSE && !notReady) {
                congestion.collapse();
            }
            probeAt = nowNanos + roundTrip.probe(probes);
        }
        return null;
    }

    /** {@return whether a datagram of that message is outstanding} */
    boolean carries(Object message) {
        for (int psn = oldest; psn != next; psn++) {
            if (flight.message(psn) == message) {
                return true;
            }
        }
        return false;
    }

    /** Forgets everything outstanding. */
    void clear() {
        if (!idle()) {
            flight.clear();
        }
        oldest = next;
    }
}
