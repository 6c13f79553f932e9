package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.RdResetReason;

/**
 * How channels of one queue pair come to be: RD-OPEN, RD-ACCEPT and CHALLENGE, sent and received, from either end or from
 * both at once, the first time or anew (the rows of datagram-iWARP §11 about them). Owner thread only.
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

    /** {@return channels that the peer opened and has not used yet} */
    int halfOpen() {
        return halfOpen;
    }

    /** A channel became, or is no more, half-open. */
    void onHalfOpen(int more) {
        halfOpen += more;
    }

    // ---- from this end

    /** CLOSED, first work request: RD-OPEN. */
    void open(RdChannel channel, long nowNanos) {
        channel.beOpening(new RdOpening((int) port.random(), 0, 0, nowNanos));
    }

    /** OPEN, idle for 60 s, and a new work request: RD-OPEN anew with the previous tag. */
    void reopen(RdChannel channel, long nowNanos) {
        int oldTag = channel.tag;
        channel.transfer().release();
        channel.transfer().forgetPath();
        endpoint.retag(channel);
        channel.beOpening(new RdOpening((int) port.random(), channel.peerTag(), oldTag, nowNanos));
    }

    /** Half-open, and a work request: RD-OPEN with the tag and PSN that our RD-ACCEPT had, so that the peer shows it. */
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
            // DG-11.1-5. If it is the peer's tag in a channel we have, it has answered an RD-OPEN that was not ours.
            // If an RD-OPEN of ours is out, that will put it right: an RD-RESET would end what it opens.
            boolean known = theirs != null
                    && (theirs.opening() != null || (theirs.state() == RdState.OPEN && theirs.peerTag() == said.tag));
            if (!known) {
                port.answer(datagram, said.tag, false, RdResetReason.NO_CHANNEL, nowNanos);
            }
            return;
        }
        RdOpening asked = channel.opening();
        if (asked == null && channel.state() == RdState.OPEN && said.tag == channel.peerTag()) {
            channel.halfOpen(false); // again: ignore
        } else if (asked == null) { // DG-11.1-16
            port.count(UdpCounter.RD_TAG);
        } else if (said.ack != channel.transfer().firstPsn()) { // DG-11.1-8
            port.count(UdpCounter.RD_ACK_BAD);
        } else {
            RdTransfer transfer = channel.transfer();
            long roundTrip = asked.roundTrip(nowNanos);
            if (roundTrip > 0) {
                transfer.onHandshake(roundTrip, nowNanos); // datagram-iWARP §11: gives the first RTT
            }
            endOldRecords(channel, nowNanos);
            // It has seen our RD-OPEN, as it shows our tag: this is what holds, whoever sent an RD-OPEN that met ours.
            channel.halfOpen(false);
            channel.beOpen(said, nowNanos);
            transfer.oweAck(nowNanos); // even if nothing follows, the peer has to see its tag (DG-11.1-28)
            channel.changed();
        }
    }

    /** CHALLENGE: RD-OPEN again, with the cookie (DG-11.1-7), twice at most (DG-5.5-2); false if none is out. */
    boolean onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos) {
        Shim shim = reply.shim();
        RdChannel channel = table.byAddress(reply.source(), shim.sourceQpn());
        RdOpening asked = channel == null ? null : channel.opening();
        if (channel == null || asked == null || !answers(channel, asked, shim)) {
            return false;
        }
        if (asked.challenges < RdSettings.CHALLENGES) {
            asked.challenged();
            channel.peer().cookie(cookieHigh, cookieLow, nowNanos + RdSettings.COOKIE_LIFE);
            channel.owes(RdChannel.DUE_OPEN);
        }
        return true;
    }

    /** {@return whether a reply that carries no tag answers an RD-OPEN that is out} */
    boolean asked(ReceivedDatagram reply) {
        Shim shim = reply.shim();
        RdChannel channel = table.byAddress(reply.source(), shim.sourceQpn());
        RdOpening asked = channel == null ? null : channel.opening();
        return channel != null && asked != null && answers(channel, asked, shim);
    }

    /** datagram-iWARP §5, check 9 (DG-5.1-10, DG-5.5-1): Message Id and Key of the question. */
    private static boolean answers(RdChannel channel, RdOpening asked, Shim shim) {
        return shim.messageId() == asked.messageId
                && shim.key() == channel.peer().key();
    }

    // ---- from the other end

    /**
     * RD-OPEN.
     *
     * @param validated whether the source has proved its address, or need not
     * @param cookie whether this very datagram has proved it with a cookie
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
            boolean refused = channel != null || endpoint.refuses(); // DG-11.1-13, DG-11.1-15
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

    /** Answers whether RD-ACCEPT follows. */
    private boolean onOpenOfKnown(RdChannel channel, RdFields said, long nowNanos) {
        if (channel.state() == RdState.OPEN && said.tag == channel.peerTag()) {
            return true; // known: RD-ACCEPT again (DG-11.1-3)
        }
        RdOpening asked = channel.opening();
        if (asked != null && asked.previousTag != 0 && asked.previousTag == said.tag) {
            return false; // an old one, of the channel that we open anew: its tag and PSN are over (DG-11.1-29)
        }
        if (asked != null) {
            // Both open at once (DG-11.1-17): take its tag and PSN, RD-ACCEPT with ours.
            endOldRecords(channel, nowNanos);
            channel.beOpenUnconfirmed(said, asked, nowNanos);
            return true;
        }
        if (said.previousTag == 0 || said.previousTag != channel.tag) {
            // DG-11.1-10: a peer that lost the state answers RD-RESET 1; a live one ignores the forged OPEN.
            channel.owes(RdChannel.DUE_BARE_ACK);
            return false;
        }
        // DG-11.1-11: it opens anew after a pause. What it sent before is over. What we have under way for a short time
        // it has not accepted, or it would not have been idle: that goes on under the new tags, with the same PSNs.
        // What is older it may have accepted before it was idle, and only its acks were lost: to send that again could
        // deliver it twice.
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

    /** Records and jobs of the incarnation before end, if this is an opening anew. */
    private static void endOldRecords(RdChannel channel, long nowNanos) {
        RdOpening asked = channel.opening();
        if (asked != null && asked.previousTag != 0) {
            channel.endRecords(nowNanos);
        }
    }
}
