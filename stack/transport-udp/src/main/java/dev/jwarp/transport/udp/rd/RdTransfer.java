package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.congestion.CongestionControl;
import dev.jwarp.transport.udp.congestion.RttEstimator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The data transfer of a channel in both directions: the receiving half, and the sending half while datagrams are
 * outstanding. In between, the state to continue: the next PSN, the peer's window, and the path. Owner thread only.
 */
final class RdTransfer {
    private final RdEndpoint endpoint;
    final RdReceiver receiver;
    /** Null while no datagram is outstanding. */
    @Nullable
    RdSender sender;

    private final RdChannel channel;
    private @Nullable RttEstimator roundTrips;
    private @Nullable CongestionControl congestion;
    private int nextPsn;
    private char peerWindow = 1;
    /** The number of the latest RD-ACK received, and the duplicates that it reported. */
    private int heardSerial;

    private int heardDuplicates;
    private long activeAt;
    private long sentAt;

    RdTransfer(RdEndpoint endpoint, RdChannel channel, int firstPsn) {
        this.endpoint = endpoint;
        this.channel = channel;
        receiver = new RdReceiver(channel);
        nextPsn = firstPsn;
    }

    // ---- beginning and end

    /** The channel is open with the peer's first PSN and window. Outstanding datagrams of this side continue. */
    void begin(int firstPsnOfPeer, int window, long nowNanos) {
        receiver.clear(endpoint.stashes);
        receiver.start(firstPsnOfPeer, nowNanos);
        peerWindow = (char) Math.max(1, window);
        activeAt = nowNanos;
        heardSerial = -1;
        heardDuplicates = 0;
        if (sender != null) {
            sender.restart(peerWindow, nowNanos);
        }
    }

    /** Returns all memory to the pools; outstanding datagrams are discarded. */
    void release() {
        RdSender outstanding = sender;
        if (outstanding != null) {
            outstanding.clear();
            giveSender(outstanding);
        }
        receiver.leave(endpoint.stashes);
    }

    private void giveSender(RdSender idle) {
        nextPsn = idle.oldest();
        peerWindow = (char) idle.peerWindow();
        sender = null;
        endpoint.schedule.give(idle);
    }

    /** Discards round trips and congestion control of the path. */
    void forgetPath() {
        roundTrips = null;
        congestion = null;
    }

    /** The time of the opening handshake: the first round-trip sample. */
    void onHandshake(long nanos, long nowNanos) {
        path().sample(nanos, nowNanos);
    }

    private RttEstimator path() {
        if (roundTrips == null) {
            roundTrips = new RttEstimator();
        }
        return roundTrips;
    }

    /** {@return whether a PATH-PROBE is to be sent to test a silent path} */
    boolean asksPath() {
        return sender != null && sender.asksPath();
    }

    /** {@return whether the path to the peer is silent} */
    boolean silent() {
        return sender != null && sender.silent();
    }

    /** A PATH-PROBE of this side was answered. */
    void onPathAnswer(long nowNanos) {
        if (sender != null) {
            sender.onPathAnswer(nowNanos);
        }
    }

    /** See {@link RdSender#pathIsNarrow}. */
    void pathIsNarrow(int largest, long nowNanos) {
        if (sender != null) {
            sender.pathIsNarrow(largest, nowNanos);
        }
    }

    /** {@return a round trip without queues, nanoseconds; 0 if none is known} */
    long roundTrip() {
        return roundTrips == null ? 0 : roundTrips.least();
    }

    /** {@return the smoothed round trip, nanoseconds; 0 if none is known} */
    long smoothed() {
        RttEstimator known = roundTrips;
        return known == null ? 0 : known.smoothed();
    }

    /** {@return the congestion window in bytes; 0 before the first datagram} */
    long congestionWindow() {
        CongestionControl known = congestion;
        return known == null ? 0 : known.window();
    }

    /** {@return the sending rate in bytes a second; 0 for no limit} */
    long congestionRate() {
        CongestionControl known = congestion;
        return known == null ? 0 : known.rate();
    }

    // ---- sending

    /** {@return whether no sent datagram waits for its ack} */
    boolean settled() {
        return sender == null;
    }

    /** {@return whether the peer may have accepted outstanding datagrams, and have been idle since} */
    boolean isInDoubt(long nowNanos) {
        return sender != null && sender.waits(RdSettings.IN_DOUBT_AFTER, nowNanos);
    }

    /** {@return whether no datagram was sent or received for that time, and none waits} */
    boolean idleFor(long nanos, long nowNanos) {
        return sender == null && nowNanos - activeAt >= nanos && !receiver.notReady();
    }

    /** {@return the PSN of the oldest outstanding datagram, or of the next one} */
    int firstPsn() {
        return sender == null ? nextPsn : sender.oldest();
    }

    /** {@return whether a new datagram may be sent now} */
    boolean admits(long nowNanos) {
        RdSender outstanding = sender;
        if (outstanding == null) {
            return true;
        }
        if (!outstanding.admits()) {
            return false;
        }
        long at = outstanding.admittedAt(nowNanos);
        if (at > nowNanos) {
            endpoint.pacedUntil(at);
            return false;
        }
        return true;
    }

    /**
     * {@return the sending half, for a datagram that is about to be written}
     *
     * @param largest the octets of UDP payload that the path takes
     */
    RdSender sending(int largest, long nowNanos) {
        RdSender outstanding = sender;
        if (outstanding == null) {
            boolean first = congestion == null;
            outstanding = endpoint.schedule.takeSender();
            outstanding.bind(path(), control(nowNanos), channel.onPath(largest), nextPsn, peerWindow, nowNanos);
            if (first) {
                outstanding.beFresh();
            }
            sender = outstanding;
        }
        return outstanding;
    }

    private CongestionControl control(long nowNanos) {
        CongestionControl known = congestion;
        if (known == null) {
            RdSettings settings = endpoint.settings;
            known = CongestionControl.of(settings.congestion(), settings.lossTolerancePercent());
            congestion = known;
        } else {
            long timeouts = (nowNanos - sentAt) / path().timeout();
            if (timeouts > 0) {
                known.onIdle((int) Math.min(timeouts, Integer.MAX_VALUE));
            }
        }
        return known;
    }

    /** {@return whether a datagram of that message is outstanding} */
    boolean carries(OutboundMessage message) {
        return sender != null && sender.carries(message);
    }

    /** {@return the sending half with a repetition chosen, if one is due, or null} */
    @Nullable
    RdSender repeating() {
        RdSender outstanding = sender;
        return outstanding != null && outstanding.selectRepeat() ? outstanding : null;
    }

    /** A datagram of DATA was written, with our Ack. */
    void sent(OutboundMessage message, int index, int bytes, boolean asked, long nowNanos) {
        Objects.requireNonNull(sender, "sending() comes first").onSent(message, index, bytes, asked, nowNanos);
        receiver.carried();
        activeAt = nowNanos;
        sentAt = nowNanos;
    }

    /** Processes Ack, Window and SACK words; false if they name PSNs never sent: the datagram is to be dropped. */
    boolean onAck(RdFields said, long nowNanos) {
        RdSender outstanding = sender;
        boolean sound;
        // DG-11.2-10, DG-11.3-5
        said.late = said.alone && (said.serial - heardSerial <= 0 || Psn.before(said.ack, firstPsn()));
        if (outstanding == null) {
            int distance = Psn.distance(nextPsn, said.ack);
            sound = distance < 0 || (distance == 0 && RdSender.beyond(said) == 0);
            if (sound && distance == 0 && !said.late) {
                peerWindow = (char) Math.max(1, said.window);
            }
        } else {
            sound = outstanding.onAck(said, endpoint.upper, nowNanos);
        }
        if (sound && said.alone && !said.late) {
            heardSerial = said.serial;
            if (said.duplicates != heardDuplicates && outstanding != null) {
                outstanding.onDuplicate(said.lastDuplicate);
            }
            heardDuplicates = said.duplicates;
        }
        if (outstanding != null && sender == outstanding && outstanding.idle()) {
            giveSender(outstanding);
        }
        if (sound) {
            activeAt = nowNanos;
        } else {
            endpoint.port.count(UdpCounter.RD_ACK_BAD);
        }
        return sound;
    }

    /** Processes flag RNR of the RD-ACK just processed. */
    void onReadiness(RdFields said, long nowNanos) {
        if (sender != null) {
            sender.onReadiness(said, nowNanos);
        }
    }

    // ---- receiving

    /** {@return the PSN expected next} */
    int expected() {
        return receiver.expected();
    }

    /** {@return the window to announce: how many datagrams ahead will be kept} DG-4.4-5, DG-4.4-8. */
    int window() {
        return receiver.window(endpoint.settings);
    }

    /** {@return whether the layer above has no room for the datagram expected next} */
    boolean notReady() {
        return receiver.notReady();
    }

    /** See {@link RdReceiver#onData}. */
    boolean onData(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        return receiver.onData(endpoint, datagram, said, nowNanos);
    }

    /** See {@link RdReceiver#onReady}. */
    boolean onReady(long nowNanos) {
        return !receiver.notReady() || receiver.onReady(endpoint, nowNanos);
    }

    /** Sets Ack, Window and RNR for a datagram to send; no SACK words. */
    void say(RdFields fields) {
        fields.ack = expected();
        fields.window = window();
        fields.notReady = notReady();
        fields.count = 0;
    }

    /** Sends an RD-ACK that says nothing about datagrams that are kept, for a peer that may not know this channel. */
    void emitBareAck(DatagramPeer peer, int peerTag, long nowNanos) {
        RdFields fields = endpoint.fields;
        say(fields);
        receiver.stamp(fields, nowNanos);
        endpoint.port.ack(peer, peerTag, fields);
    }

    /** Sends an RD-ACK if one is due. */
    boolean emitAck(DatagramPeer peer, int peerTag, long nowNanos) {
        if (!receiver.ackNow()) {
            return false;
        }
        RdFields fields = endpoint.fields;
        say(fields);
        receiver.ack(fields, nowNanos);
        endpoint.port.ack(peer, peerTag, fields);
        return true;
    }

    // ---- time

    /** {@return whether an ack or a repetition is to be sent now} */
    boolean isDue() {
        return receiver.ackNow() || (sender != null && sender.wantsRepeat());
    }

    /** {@return whether datagrams are outstanding} */
    boolean waits() {
        return sender != null;
    }

    /** {@return when {@link #onTimeout} is wanted, or an idle channel is to be removed} */
    long nextTimeout() {
        long sending = Long.MAX_VALUE;
        if (sender != null) {
            sending = sender.nextTimeout(endpoint.settings.giveUpNanos());
        } else if (!receiver.notReady()) {
            sending = activeAt + RdSettings.FORGET_AFTER;
        }
        return Math.min(sending, receiver.ackAt());
    }

    /** {@return the failure of the channel, or null} See {@link RdSender#onTimeout}. */
    @Nullable
    OperationStatus onTimeout(int largest, long nowNanos) {
        receiver.onTimeout(nowNanos);
        return sender == null ? null : sender.onTimeout(endpoint.settings.giveUpNanos(), largest, nowNanos);
    }
}
