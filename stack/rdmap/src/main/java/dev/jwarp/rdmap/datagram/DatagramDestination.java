package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * The destination of operations, behind an address handle. It holds the queue of its work as links in the operations, so a
 * silent peer costs nothing more. One endpoint uses it; once an operation names it, its owner thread only. A device may
 * extend it by what it knows of the peer.
 */
public class DatagramDestination extends PeerTurn {
    static final long NEVER = Long.MIN_VALUE;

    private final DatagramPeer peer;

    /** Not begun, or being sent, in the order of posting. */
    final OperationList queue = new OperationList();

    // Of these, most destinations never have one: there may be very many.
    private @Nullable OperationList again;
    private @Nullable OperationList unaccepted;

    private volatile int weight = 1;

    /** Operations of it that are not complete. */
    int pending;

    /** Reads of it that are not answered. */
    int reads;

    /** When something of an answer came last. */
    long answeredAt = NEVER;

    /** UD: the Message Id of the Read asked last of whose answer something has come. */
    int newestAnswered;

    /** While operations are not complete: its index among the destinations that have such. */
    int busyAt;

    /** Creates one for a peer; a group if the peer's queue pair is {@link Shim#GROUP_QPN}. */
    public DatagramDestination(DatagramPeer peer) {
        this.peer = peer;
    }

    /** {@return where it is} */
    public final DatagramPeer peer() {
        return peer;
    }

    /** Says how many times longer its turns are than those of one with weight 1: 1 to 64. Any thread. */
    public final void weight(int times) {
        weight = times;
    }

    @Override
    public final int weight() {
        return weight;
    }

    /** {@return requests to be sent once more because the peer wanted to see a cookie} */
    final OperationList again() {
        OperationList list = again;
        if (list == null) {
            list = new OperationList();
            again = list;
        }
        return list;
    }

    /** {@return reliable: what is all with the lower layer, and not all accepted by the peer} */
    final OperationList unaccepted() {
        OperationList list = unaccepted;
        if (list == null) {
            list = new OperationList();
            unaccepted = list;
        }
        return list;
    }

    /** {@return whether something waits to be accepted} */
    final boolean hasUnaccepted() {
        return unaccepted != null && !unaccepted.isEmpty();
    }

    /** {@return whether something is to be sent once more} */
    final boolean hasAgain() {
        return again != null && !again.isEmpty();
    }

    /** {@return whether it is a group} */
    public final boolean group() {
        return peer.queuePairNumber() == Shim.GROUP_QPN;
    }

    /** {@return whether it is that queue pair at that address} */
    final boolean is(DatagramAddress address, int queuePairNumber) {
        return peer.queuePairNumber() == queuePairNumber && peer.address().equals(address);
    }

    @Override
    final DatagramPeer turnOf() {
        return peer;
    }

    @Override
    final boolean hasWork() {
        return !queue.isEmpty() || hasAgain();
    }

    @Override
    public final String toString() {
        return peer.toString();
    }
}
