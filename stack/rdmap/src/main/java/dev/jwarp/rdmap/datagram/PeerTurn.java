package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramPeer;
import org.jspecify.annotations.Nullable;

/** One of those who take turns at sending: a destination with work, or answers to a peer's Reads. Links of a ring. */
abstract class PeerTurn {
    @Nullable
    PeerTurn nextTurn;

    /** Whether it stands in one of the lists of {@code PeerTurns}. */
    boolean queued;

    /** Bytes that are left of its turn; below 0 what it has had of its next one. */
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
