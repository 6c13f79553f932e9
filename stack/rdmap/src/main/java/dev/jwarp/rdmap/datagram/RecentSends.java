package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * To whom the last messages went: what a NOTIFY must match to be believed (datagram-iWARP §6). As Message Ids count up, an id
 * is its own place. Owner thread only; allocates nothing.
 */
final class RecentSends {
    /** datagram-iWARP §6: so many are remembered. */
    static final int SIZE = 1_024;

    private final @Nullable DatagramPeer[] peers = new DatagramPeer[SIZE];
    private final int[] messageIds = new int[SIZE];
    private final long[] workRequests = new long[SIZE];

    void note(int messageId, DatagramPeer peer, long workRequestId) {
        int place = messageId & (SIZE - 1);
        peers[place] = peer;
        messageIds[place] = messageId;
        workRequests[place] = workRequestId;
    }

    /** {@return whether a reply comes from where its question went, with the Key of the question} Check 9. */
    boolean asked(Shim reply, DatagramAddress source) {
        int place = reply.messageId() & (SIZE - 1);
        DatagramPeer peer = peers[place];
        return peer != null && messageIds[place] == reply.messageId() && matches(peer, reply, source);
    }

    static boolean matches(DatagramPeer peer, Shim reply, DatagramAddress source) {
        // datagram-iWARP §4.3: a reply echoes the queue pair and the Key that were asked.
        return reply.sourceQpn() == peer.queuePairNumber()
                && reply.key() == peer.key()
                && source.equals(peer.address());
    }

    /** {@return the work request of a message that {@link #asked} found} */
    long workRequestId(int messageId) {
        return workRequests[messageId & (SIZE - 1)];
    }
}
