package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.datagram.DatagramPeer;

/** One of those who take turns at sending: a destination with work, or answers to a peer's Reads. */
abstract class PeerTurn extends LinkedPlaces.Link<PeerTurn> {
    /** Whether it stands in one of the lists of {@link PeerTurns}. */
    boolean queued;

    /** Bytes that are left of its turn; a value below 0 is taken off its next turn. */
    int credit;

    /** {@return the peer its segments go to} */
    abstract DatagramPeer turnOf();

    /** {@return whether it has something to send, were it admitted} */
    abstract boolean hasWork();

    /** It sends nothing more for now: others have their turn, or it is not admitted. */
    void pauses() {}

    /** {@return how many times longer its turns are than others'} */
    int weight() {
        return 1;
    }
}
