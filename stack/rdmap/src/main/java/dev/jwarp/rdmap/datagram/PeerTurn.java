package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.datagram.DatagramPeer;

/** A participant in the round robin of senders: a destination with work, or the responses to a peer's Reads. */
abstract class PeerTurn extends LinkedPlaces.Link<PeerTurn> {
    /** Whether this is in a list of {@link PeerTurns}. */
    boolean queued;

    /** Bytes left of this turn; a negative value is deducted from the next turn. */
    int credit;

    /** {@return the peer that the segments go to} */
    abstract DatagramPeer turnOf();

    /** {@return whether there is something to send, admitted or not} */
    abstract boolean hasWork();

    /** Called when the turn ends or the lower layer does not admit its peer. */
    void pauses() {}

    /** {@return the length of the turns as a multiple of the normal length} */
    int weight() {
        return 1;
    }
}
