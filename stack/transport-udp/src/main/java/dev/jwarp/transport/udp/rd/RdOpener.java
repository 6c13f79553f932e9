package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens the channels of one queue pair: RD-OPEN, RD-ACCEPT and CHALLENGE, sent and received, from either end or from
 * both at once, for the first time or again (the rows of datagram-iWARP §11 about opening). Owner thread only.
 */
final class RdOpener {
    private final RdEndpoint endpoint;
    private final RdTable table;
    private final RdPort port;
    private int halfOpen;

    RdOpener(RdEndpoint endpoint, RdTable table) {
        this.endpoint = endpoint;
        this.table = table;
        port = endpoint.port;
    }

    /** {@return the number of channels that peers have opened and not used yet} */
    int halfOpen() {
        return halfOpen;
    }

    /** Adds {@code more} to the number of half-open channels. */
    void onHalfOpen(int more) {
        halfOpen += more;
    }

    // ---- from this end

    /** CLOSED, and a first work request: RD-OPEN. */
    void open(RdChannel channel, long nowNanos) {
        channel.beOpening(new RdOpening((int) port.random(), 0, 0, nowNanos));
    }

    /** OPEN, idle for 60 s, and a new work request: a new RD-OPEN with the previous tag. */
    void reopen(RdChannel channel, long nowNanos) {
        int oldTag = channel.tag;
        channel.transfer().release();
        channel.transfer().forgetPath();
        endpoint.retag(channel);
        channel.beOpening(new RdOpening((int) port.random(), channel.peerTag(), oldTag, nowNanos));
    }

    /** Half-open, and a work request: RD-OPEN with tag and PSN of our RD-ACCEPT, so that the peer shows the tag. */
    void confirm(RdChannel channel, long nowNanos) {
        channel.beConfirming(new RdOpening((int) port.random(), 0, 0, nowNanos));
    }

    /** RD-ACCEPT. */
    void onAccept(ReceivedDatagram datagram, RdFields said, long nowNanos) {
        Shim shim = datagram.shim();
        DatagramAddress source = datagram.source();
        RdChannel channel = table.byTag(shim.key());
        if (channel == null || !channel.isWith(source, shim.sourceQpn())) {
            port.count(UdpCounter.RD_TAG);
            RdChannel theirs = table.byAddress(source, shim.sourceQpn());
            // DG-11.1-5. With the peer's tag of an existing channel, the RD-ACCEPT answers an RD-OPEN that was not
            // ours. An outstanding RD-OPEN of ours will correct this: an RD-RESET would end the channel that it opens.
            boolean known = theirs != null
                    && (theirs.opening() != null || (theirs.state() == RdState.OPEN && theirs.peerTag() == said.tag));
            if (channel == null && !known) {
                port.answer(datagram, said.tag, false, RdResetReason.NO_CHANNEL, nowNanos);
            }
            return;
        }
        RdOpening asked = channel.opening();
        if (asked == null && channel.state() == RdState.OPEN && said.tag == channel.peerTag()) {
            channel.halfOpen(false); // a repetition: ignore
        } else if (asked == null) { // DG-11.1-16
            port.count(UdpCounter.RD_TAG);
        } else if (said.ack != channel.transfer().firstPsn()) { // DG-11.1-8
            port.count(UdpCounter.RD_ACK_BAD);
        } else {
            RdTransfer transfer = channel.transfer();
            long roundTrip = asked.roundTrip(nowNanos);
            if (roundTrip > 0) {
                transfer.onHandshake(roundTrip, nowNanos); // datagram-iWARP §11: the first RTT sample
            }
            endOldRecords(channel, nowNanos);
            // The peer shows our tag, so it has seen our RD-OPEN: its RD-ACCEPT prevails over any RD-OPEN that crossed.
            channel.halfOpen(false);
            channel.beOpen(said, nowNanos);
            transfer.receiver.owe(nowNanos); // even without data, the peer has to see its tag (DG-11.1-21)
            channel.changed();
        }
    }

    /** CHALLENGE: RD-OPEN again with the cookie (DG-11.1-7), at most twice (DG-5.5-2); false if none is outstanding. */
    boolean onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos) {
        RdChannel channel = asking(reply);
        if (channel == null) {
            return false;
        }
        RdOpening asked = Objects.requireNonNull(channel.opening());
        if (asked.challenges < RdSettings.CHALLENGES) {
            asked.challenged();
            channel.peer().cookie(cookieHigh, cookieLow, nowNanos + RdSettings.COOKIE_LIFE);
            channel.owes(RdChannel.DUE_OPEN);
        }
        return true;
    }

    /**
     * {@return the channel whose outstanding RD-OPEN a reply without a tag answers; null if there is none} By Message Id
     * and Key of the question: datagram-iWARP §5, check 9 (DG-5.1-10, DG-5.5-1).
     */
    @Nullable
    RdChannel asking(ReceivedDatagram reply) {
        Shim shim = reply.shim();
        RdChannel channel = table.byAddress(reply.source(), shim.sourceQpn());
        RdOpening asked = channel == null ? null : channel.opening();
        return channel != null
                        && asked != null
                        && shim.messageId() == asked.messageId
                        && shim.key() == channel.peer().key()
                ? channel
                : null;
    }

    // ---- from the other end

    /**
     * RD-OPEN.
     *
     * @param validated whether the source has proved its address or is trusted
     * @param cookie whether this very datagram has a valid cookie
     */
    void onOpen(ReceivedDatagram datagram, RdFields said, boolean validated, boolean cookie, long nowNanos) {
        Shim shim = datagram.shim();
        DatagramAddress source = datagram.source();
        RdChannel channel = table.byAddress(source, shim.sourceQpn());
        if (channel != null && channel.state() != RdState.ERROR) {
            if (onOpenOfKnown(channel, said, nowNanos)) {
                channel.owesAccept(shim);
            }
        } else if (channel == null && !validated) { // DG-11.1-1
            port.challenge(datagram, nowNanos);
        } else if (channel == null && halfOpen >= endpoint.settings.halfOpen() && !cookie) { // DG-11.1-18
            port.count(UdpCounter.RD_HALF_OPEN);
            port.challenge(datagram, nowNanos);
        } else {
            boolean refused = channel != null || endpoint.refuses(); // DG-11.1-13
            DatagramPeer peer = new DatagramPeer().set(source, shim.sourceQpn(), 0, 0);
            RdChannel accepted = refused ? null : endpoint.add(peer, nowNanos);
            if (accepted == null) {
                port.count(UdpCounter.RD_BUSY);
                port.answer(datagram, said.tag, false, RdResetReason.BUSY, nowNanos);
                return;
            }
            accepted.halfOpen(true); // until a datagram shows our tag
            accepted.beOpen(said, nowNanos);
            accepted.owesAccept(shim);
        }
    }

    /** Returns whether RD-ACCEPT follows. */
    private boolean onOpenOfKnown(RdChannel channel, RdFields said, long nowNanos) {
        if (channel.state() == RdState.OPEN && said.tag == channel.peerTag()) {
            return true; // a repetition: RD-ACCEPT again (DG-11.1-3)
        }
        RdOpening asked = channel.opening();
        if (asked != null && asked.previousTag != 0 && asked.previousTag == said.tag) {
            return false; // an old RD-OPEN of the channel that we reopen: tag and PSN are obsolete (DG-11.1-19)
        }
        if (asked != null) {
            // Both sides open at once (DG-11.1-17): use the peer's tag and PSN, RD-ACCEPT with ours.
            endOldRecords(channel, nowNanos);
            channel.beOpenUnconfirmed(said, asked, nowNanos);
            return true;
        }
        if (said.previousTag == 0 || said.previousTag != channel.tag) {
            // DG-11.1-10: a peer without state answers the RD-ACK with RD-RESET 1; a live peer ignores it.
            channel.owes(RdChannel.DUE_BARE_ACK);
            return false;
        }
        // DG-11.1-11: the peer reopens after a pause. Its earlier datagrams are settled. Our recent datagrams in flight
        // were not accepted, or the peer would not have been idle: they continue under the new tags, with the same
        // PSNs. Older datagrams may have been accepted before the pause, with their acks lost: repeating them could
        // deliver them twice.
        endpoint.retag(channel);
        if (channel.transfer().isInDoubt(nowNanos)) {
            channel.transfer().release();
        }
        channel.beOpen(said, nowNanos);
        if (channel.transfer().settled()) {
            channel.endRecords(nowNanos);
        }
        return true;
    }

    /** Ends records and jobs of the previous incarnation, if this is a reopening. */
    private static void endOldRecords(RdChannel channel, long nowNanos) {
        RdOpening asked = channel.opening();
        if (asked != null && asked.previousTag != 0) {
            channel.endRecords(nowNanos);
        }
    }
}
