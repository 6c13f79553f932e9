package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * To whom the last messages went: what a NOTIFY must match to be believed (datagram-iWARP §6). As Message Ids count up, an id
 * is its own place. Owner thread only; allocates nothing.
 */
final class RecentSends {
    private final @Nullable DatagramPeer[] peers;
    private final int[] messageIds;
    private final long[] workRequests;

    /**
     * Remembers nothing yet.
     *
     * @param least messages that are remembered at least (datagram-iWARP §13)
     */
    RecentSends(int least) {
        int size = Integer.highestOneBit(2 * least - 1);
        peers = new DatagramPeer[size];
        messageIds = new int[size];
        workRequests = new long[size];
    }

    private int place(int messageId) {
        return messageId & (messageIds.length - 1);
    }

    void note(int messageId, DatagramPeer peer, long workRequestId) {
        int place = place(messageId);
        peers[place] = peer;
        messageIds[place] = messageId;
        workRequests[place] = workRequestId;
    }

    /** {@return whether a reply comes from where its question went, with the Key of the question} Check 9. */
    boolean asked(Shim reply, DatagramAddress source) {
        int place = place(reply.messageId());
        DatagramPeer peer = peers[place];
        return peer != null && messageIds[place] == reply.messageId() && matches(peer, reply, source);
    }

    static boolean matches(DatagramPeer peer, Shim reply, DatagramAddress source) {
        // datagram-iWARP §4.3 (DG-5.5-1): a reply echoes the queue pair and the Key that were asked.
        return reply.sourceQpn() == peer.queuePairNumber()
                && reply.key() == peer.key()
                && source.equals(peer.address());
    }

    /** {@return the work request of a message that {@link #asked} found} */
    long workRequestId(int messageId) {
        return workRequests[place(messageId)];
    }
}
