package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of the last messages: a NOTIFY is accepted only if it matches one of them (datagram-iWARP §6).
 * Message Ids count up, so the id is the index. Owner thread only; allocates nothing.
 */
final class RecentSends {
    private final @Nullable DatagramPeer[] peers;
    private final int[] messageIds;
    private final long[] workRequests;

    /**
     * Creates an empty table.
     *
     * @param least minimum number of messages to remember (datagram-iWARP §13)
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

    /** {@return whether a reply comes from the destination of its message, with the Key of that message} Check 9. */
    boolean asked(ReceivedDatagram reply) {
        int messageId = reply.shim().messageId();
        int place = place(messageId);
        DatagramPeer peer = peers[place];
        return peer != null && messageIds[place] == messageId && matches(peer, reply);
    }

    static boolean matches(DatagramPeer peer, ReceivedDatagram reply) {
        // datagram-iWARP §4.3 (DG-5.5-1): a reply echoes the queue pair and the Key of the message.
        return reply.shim().sourceQpn() == peer.queuePairNumber()
                && reply.shim().key() == peer.key()
                && reply.source().equals(peer.address());
    }

    /** {@return the work request of a message that {@link #asked} found} */
    long workRequestId(int messageId) {
        return workRequests[place(messageId)];
    }
}
