package dev.jwarp.transport.udp.rd;

import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.source.Divided;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The reliable channels of one queue pair (datagram-iWARP §11): delivers the datagrams of each peer to the layer above
 * exactly once and in order. No sockets, no clock, no codecs: received datagrams come as their fields, and datagrams
 * are sent through {@link RdPort} and the {@link SegmentWriter} of the layer above. After every call there may be
 * output: see {@link #poll}. Owner thread only; allocates nothing in steady state.
 */
final class RdEndpoint {
    final RdSettings settings;
    final DatagramUpperLayer upper;
    final RdPort port;
    private final RdTable table;
    private final Shares places;
    final RdSchedule schedule;
    final StashPool stashes;
    private final ArrayDeque<Failure> failures = new ArrayDeque<>();

    /** The fields of the datagram that is being written. */
    final RdFields fields = new RdFields();

    /** Processes RD-OPEN, RD-ACCEPT and CHALLENGE. */
    final RdOpener opener;
    /** A channel has failed, and the error scope is the queue pair. */
    private boolean stopped;
    /** The queue pair is stopped or closed. */
    private boolean down;

    /** When work without room for a channel is tried again. */
    private long roomWantedAt = Long.MAX_VALUE;

    /** The earliest time at which a paced channel may send; and whether the last poll has asked all of them. */
    private long pacedUntil = Long.MAX_VALUE;

    private boolean allAsked = true;

    private @Nullable RdChannel repeating;
    private @Nullable RdChannel writing;
    private int writingIndex;

    RdEndpoint(RdSettings settings, DatagramUpperLayer upper, RdPort port) {
        this.settings = settings;
        this.upper = upper;
        this.port = port;
        table = new RdTable(port.random());
        places = new Shares(
                ShareLimits.of(
                                "room for reliable channels",
                                UdpSetting.RD_CHANNELS.key(),
                                settings.channels(),
                                1,
                                RdSettings.IDLE_AFTER)
                        .idleKeepsNothing(true),
                port.random(),
                new Divided(port::count, UdpCounter.RD_TAKEN_BACK));
        Divided told = new Divided(port::count, UdpCounter.RD_STASH_TAKEN_BACK);
        stashes = new StashPool(settings.stash(), settings.stashMemory(), settings.window(), port.random(), told);
        schedule = new RdSchedule(settings.window());
        opener = new RdOpener(this, table);
    }

    /** {@return whether new channels are refused} */
    boolean refuses() {
        return stopped || down;
    }

    /** {@return the number of channels} */
    int channels() {
        return table.size();
    }

    /** {@return the channel with that queue pair of the peer, or null} */
    @Nullable
    RdChannel find(DatagramAddress address, int queuePairNumber) {
        return table.byAddress(address, queuePairNumber);
    }

    // ---- segments of the layer above

    /** {@return whether a datagram may be sent to that peer now} Opens a channel if there is none. */
    boolean admits(DatagramPeer peer, long nowNanos) {
        if (repeating != null) {
            return true;
        }
        RdChannel channel = channelOf(peer);
        if (channel == null) {
            DatagramPeer own =
                    new DatagramPeer().set(peer.address(), peer.queuePairNumber(), peer.key(), peer.maximumDatagram());
            channel = add(own, nowNanos);
            if (channel == null) {
                roomWantedAt = nowNanos + RdSettings.IDLE_AFTER; // a channel may be idle by then
                return false;
            }
            channel.adopt(peer);
            peer.control(channel);
            if (stopped || down) {
                channel.close(0, nowNanos);
            } else {
                opener.open(channel, nowNanos);
            }
        }
        return channel.admits(nowNanos);
    }

    private @Nullable RdChannel channelOf(DatagramPeer peer) {
        if (peer.control() instanceof RdChannel known
                && known.state() != RdState.CLOSED
                && known.isOf(this)
                && known.isWith(peer.address(), peer.queuePairNumber())) {
            return known;
        }
        RdChannel channel = table.byAddress(peer.address(), peer.queuePairNumber());
        if (channel != null) {
            channel.adopt(peer);
            peer.control(channel);
        }
        return channel;
    }

    /** {@return a new channel in the table; null if there is no room and no channel can be evicted} */
    @Nullable
    RdChannel add(DatagramPeer own, long nowNanos) {
        RdChannel channel = new RdChannel(this, own, newTag(), (int) port.random());
        if (!channel.takePlace(places, nowNanos)) {
            return null;
        }
        table.add(channel);
        return channel;
    }

    /** {@return the fields for the datagram that is begun now} After {@link #admits}; valid until the next datagram. */
    RdFields begin(DatagramPeer peer, Shim shim, long nowNanos) {
        RdChannel channel = repeating != null ? repeating : channelOf(peer);
        if (channel == null || channel.state() != RdState.OPEN) {
            throw new IllegalStateException("there is no open channel with " + peer + ": call admits() first");
        }
        RdSender sender = channel.transfer().sending(peer.maximumDatagram(), nowNanos);
        channel.peer().follow(peer.path());
        writing = channel;
        writingIndex = shim.segmentIndex();
        boolean last = (shim.segmentIndex() + 1L) * shim.segmentSize() >= shim.messageLength();
        fields.tag = channel.peerTag(); // DG-4.3-1
        fields.psn = sender.psn();
        channel.transfer().say(fields);
        fields.ackWanted = sender.asks(last);
        return fields;
    }

    /** The datagram begun last is written, with {@code octets} of UDP payload. */
    void end(@Nullable OutboundMessage message, int octets, long nowNanos) {
        RdChannel channel = writing;
        if (channel == null || message == null) {
            throw new IllegalStateException("a reliable segment begins with begin() and belongs to a message");
        }
        writing = null;
        channel.sent(message, writingIndex, octets, fields.ackWanted, nowNanos);
    }

    boolean repeat(RdChannel channel, OutboundMessage message, int index, SegmentWriter writer, long nowNanos) {
        repeating = channel;
        try {
            return upper.repeatSegment(message, index, writer, nowNanos);
        } finally {
            repeating = null;
        }
    }

    /** Closes a channel because the memory of a message was deregistered; the layer above is notified later. */
    void abandon(DatagramPeer peer, long nowNanos) {
        closeLater(peer, 0, null, nowNanos);
    }

    /** The system will never take a datagram of that message. Its PSN cannot be reused, so the channel is closed. */
    void onUnsendable(OutboundMessage message, long nowNanos) {
        for (RdChannel channel : table.all()) {
            if (channel.transfer().carries(message)) {
                abandon(channel.peer(), nowNanos);
            }
        }
    }

    /** Closes a channel because of an invalid request of the peer; the layer above is notified later. */
    void refuse(DatagramPeer peer, TerminateCode code, long nowNanos) {
        closeLater(peer, NotifyBody.controlOf(code), code, nowNanos);
    }

    private void closeLater(DatagramPeer peer, int control, @Nullable TerminateCode code, long nowNanos) {
        RdChannel channel = channelOf(peer);
        if (channel != null && channel.state() == RdState.OPEN) {
            channel.close(control, nowNanos);
            failures.add(new Failure(channel, OperationStatus.WR_FLUSH_ERR, code, true));
        }
    }

    /**
     * A channel has ended, and a new one may follow: messages that were sent but not accepted fail. The layer above, which
     * may be in the middle of a call, is notified later.
     */
    void displaced(RdChannel channel) {
        failures.add(new Failure(channel, OperationStatus.PEER_RESET, null, false));
    }

    /** Work was posted to a channel in ERROR: it is flushed after the present call of the layer above. */
    void flushLater(RdChannel channel) {
        if (failures.stream().noneMatch(failure -> failure.channel == channel)) {
            failures.add(new Failure(channel, OperationStatus.WR_FLUSH_ERR, null, true));
        }
    }

    // ---- datagrams received

    /** DATA with flag D, which carries a DDP segment. */
    void onData(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        RdChannel channel = withTag(datagram, nowNanos);
        if (channel != null) {
            channel.onData(datagram, said, nowNanos);
        }
    }

    /** RD-ACK. */
    void onAck(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        RdChannel channel = withTag(datagram, nowNanos);
        if (channel != null) {
            channel.onAck(said, nowNanos);
        }
    }

    /** {@return the channel of a PATH-PROBE, which is to be answered; null if there is none (DG-11.1-4)} */
    @Nullable
    RdChannel onProbe(ReceivedDatagram datagram, long nowNanos) {
        RdChannel channel = withTag(datagram, nowNanos);
        return channel != null && channel.onPath(nowNanos) ? channel : null;
    }

    /** PATH-REPLY. */
    void onPathReply(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        RdChannel channel = withTag(datagram, nowNanos);
        if (channel == null) {
            return;
        }
        if (channel.asked(said, nowNanos)) {
            port.count(UdpCounter.RX_PATH_REPLY);
            if (channel.onPath(nowNanos)) {
                channel.transfer().onPathAnswer(nowNanos);
                channel.changed();
            }
        } else { // datagram-iWARP §5, check 9 (DG-5.1-10)
            port.count(UdpCounter.RX_REPLY_UNMATCHED);
        }
    }

    /**
     * {@return the channel by the tag of a datagram; null if it is not a channel with the datagram's source
     * (DG-11.1-4)}
     */
    private @Nullable RdChannel withTag(ReceivedDatagram datagram, long nowNanos) {
        Shim shim = datagram.shim();
        DatagramAddress source = datagram.source();
        RdChannel channel = table.byTag(shim.key());
        if (channel != null && channel.isWith(source, shim.sourceQpn())) {
            return channel;
        }
        port.count(UdpCounter.RD_TAG);
        RdChannel other = table.byAddress(source, shim.sourceQpn());
        // No answer if a NAT or an attacker has changed the source: an RD-RESET would end the channel.
        if (channel == null && (other == null || !other.hadTag(shim.key()))) {
            port.answer(datagram, shim.key(), true, RdResetReason.NO_CHANNEL, nowNanos);
        }
        return null;
    }

    /** RD-RESET: one that does not fit is dropped (DG-11.6-2); it is never answered (DG-11.6-3). */
    void onReset(
            ReceivedDatagram datagram, boolean reflected, @Nullable RdResetReason reason, int control, long nowNanos) {
        Shim shim = datagram.shim();
        RdChannel channel = table.byAddress(datagram.source(), shim.sourceQpn());
        boolean fits = channel != null
                && (reflected
                        ? channel.peerTag() == shim.key() && reason == RdResetReason.NO_CHANNEL
                        : channel.tag == shim.key());
        if (channel == null || reason == null || !channel.admitsReset(fits, nowNanos)) {
            port.count(UdpCounter.RD_RESET_BAD);
        } else if (channel.state() == RdState.OPEN && reason != RdResetReason.BUSY) {
            channel.onReset(reason, control, nowNanos);
        } else if (channel.state() != RdState.OPENING || reason != RdResetReason.BUSY) {
            port.count(UdpCounter.RD_RESET_BAD); // DG-11.1-24; else keep trying (DG-11.6-4)
        }
    }

    // ---- output, time, and the rest

    /**
     * Writes one datagram, if there is one to write; there must be room for one.
     *
     * @return false if there is nothing to send now
     */
    boolean poll(SegmentWriter writer, long nowNanos) {
        if (allAsked && pacedUntil <= nowNanos) {
            pacedUntil = Long.MAX_VALUE; // channels that still have to wait set it again
        }
        allAsked = !pollOne(writer, nowNanos);
        return !allAsked;
    }

    private boolean pollOne(SegmentWriter writer, long nowNanos) {
        tellFailures(nowNanos);
        for (RdChannel channel = schedule.pollDue(); channel != null; channel = schedule.pollDue()) {
            boolean sent = channel.emit(writer, nowNanos);
            schedule.changed(channel);
            if (sent) {
                return true;
            }
        }
        boolean wrote = upper.pollSegment(writer, nowNanos);
        tellFailures(nowNanos);
        return wrote || (schedule.anyDue() && pollOne(writer, nowNanos));
    }

    /** The pace of a channel allows its next datagram at {@code at}. */
    void pacedUntil(long at) {
        pacedUntil = Math.min(pacedUntil, at);
    }

    /** {@return when the pace lets {@link #poll} write further datagrams} */
    long nextSend() {
        return pacedUntil;
    }

    /** The layer above may have room for segments that it was not ready for. */
    void ready(long nowNanos) {
        schedule.ready(nowNanos);
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout() {
        return Math.min(roomWantedAt, schedule.nextTimeout());
    }

    void onTimeout(long nowNanos) {
        if (roomWantedAt <= nowNanos) {
            roomWantedAt = Long.MAX_VALUE;
        }
        schedule.onTimeout(nowNanos);
    }

    /** Lets a peer (null: all) be used again after its channel failed; with the scope of the queue pair, all peers. */
    void resetPeer(@Nullable DatagramPeer peer) {
        RdChannel one = peer == null ? null : channelOf(peer);
        for (RdChannel channel : peer == null || stopped ? table.all() : new RdChannel[] {one}) {
            if (channel != null && (stopped || channel.state() == RdState.ERROR)) {
                channel.drop();
            }
        }
        stopped = false;
    }

    /**
     * A channel failed: others continue (DG-11.1-20); with the scope of the queue pair all stop until a peer is reset.
     */
    void onFailed(long nowNanos) {
        if (!settings.queuePairScope() || stopped) {
            return;
        }
        stopped = true;
        for (RdChannel channel : table.all()) {
            if (channel.state() != RdState.ERROR && channel.state() != RdState.CLOSED) {
                channel.close(0, nowNanos);
                upper.onChannelLost(channel.peer(), OperationStatus.WR_FLUSH_ERR, null, true, nowNanos);
            }
        }
    }

    /** The queue pair is stopped or closed: RD-RESET 3 to every peer (DG-11.1-14). The layer above knows. */
    void close() {
        down = true;
        for (RdChannel channel : table.all()) {
            channel.leave();
        }
    }

    /** The queue pair is resumed (DG-11.1-13), and every peer may be used again. */
    void resume() {
        down = false;
        stopped = false;
        for (RdChannel channel : table.all()) {
            if (channel.state() == RdState.ERROR) {
                channel.drop();
            }
        }
    }

    // ---- for channels

    private int newTag() {
        while (true) {
            int tag = (int) port.random();
            // datagram-iWARP §4.4 (DG-4.4-5).
            if (tag != 0 && table.byTag(tag) == null) {
                return tag;
            }
        }
    }

    /** Gives the channel a new tag of this side. */
    void retag(RdChannel channel) {
        table.retag(channel, newTag());
    }

    void remove(RdChannel channel) {
        table.remove(channel);
        schedule.remove(channel);
    }

    /** Notifies the layer above of failures during its own calls. */
    private void tellFailures(long nowNanos) {
        for (Failure failure = failures.poll(); failure != null; failure = failures.poll()) {
            upper.onChannelLost(failure.channel.peer(), failure.status, failure.code, failure.all, nowNanos);
            if (failure.all) {
                onFailed(nowNanos);
            }
        }
    }

    /**
     * The end of a channel of which the layer above is still to be notified, since it was in the middle of a call of its
     * own.
     *
     * @param all the peer must not be used again until it is reset
     */
    private record Failure(
            RdChannel channel,
            OperationStatus status,
            @Nullable TerminateCode code,
            boolean all) {}
}
