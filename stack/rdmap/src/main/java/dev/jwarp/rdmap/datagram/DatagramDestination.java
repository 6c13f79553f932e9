package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * The destination of operations, behind an address handle. Its queue is linked through the operations, so an idle
 * destination needs no further memory. Used by one endpoint; by its owner thread only once an operation names the
 * destination. A device may extend this class with its own data about the peer.
 */
public class DatagramDestination extends PeerTurn {
    static final long NEVER = Long.MIN_VALUE;

    private final DatagramPeer peer;

    /** Operations not begun or being sent, in the order of posting. */
    final OperationList queue = new OperationList();

    // Allocated on first use, because there may be very many destinations and most need neither list.
    private @Nullable OperationList again;
    private @Nullable OperationList unaccepted;

    private volatile int weight = 1;

    /** Operations to this destination that are not complete. */
    int pending;

    /** Reads from this destination that are not answered. */
    int reads;

    /** When a segment of a Read Response last arrived. */
    long answeredAt = NEVER;

    /** UD: the Message Id of the newest Read whose response has begun to arrive. */
    int newestAnswered;

    /** Index among the destinations with incomplete operations, while this is one of them. */
    int busyAt;

    /** Creates a destination for a peer, or for a group if the peer's queue pair is {@link Shim#GROUP_QPN}. */
    public DatagramDestination(DatagramPeer peer) {
        this.peer = peer;
    }

    /** {@return the peer or group} */
    public final DatagramPeer peer() {
        return peer;
    }

    /**
     * Sets the weight, 1 to 64: the length of this destination's turns as a multiple of those with weight 1. Any
     * thread.
     */
    public final void weight(int times) {
        weight = times;
    }

    @Override
    public final int weight() {
        return weight;
    }

    /** {@return Read Requests to be sent again because the peer asked for a cookie} */
    final OperationList again() {
        OperationList list = again;
        if (list == null) {
            list = new OperationList();
            again = list;
        }
        return list;
    }

    /** {@return RD: operations passed completely to the lower layer and not yet accepted completely by the peer} */
    final OperationList unaccepted() {
        OperationList list = unaccepted;
        if (list == null) {
            list = new OperationList();
            unaccepted = list;
        }
        return list;
    }

    /** {@return whether an operation waits to be accepted} */
    final boolean hasUnaccepted() {
        return unaccepted != null && !unaccepted.isEmpty();
    }

    /** {@return whether a Read Request is to be sent again} */
    final boolean hasAgain() {
        return again != null && !again.isEmpty();
    }

    /** {@return whether the destination is a group} */
    public final boolean group() {
        return peer.queuePairNumber() == Shim.GROUP_QPN;
    }

    /** {@return whether the destination is this queue pair at this address} */
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
