package dev.jwarp.mpa;

import java.util.Set;

/**
 * The settings of one side for start-up.
 *
 * @param revision highest MPA revision: an initiator sends it, a responder accepts it and every lower one. 2 negotiates
 *     IRD and ORD (RFC 6581), 1 does not (RFC 5044).
 * @param markers whether this side requests Markers in its receiving direction; the peer decides about the sending
 *     direction
 * @param crc whether this side requests CRCs; one request puts them in use in both directions
 * @param ird inbound read depth: maximum number of outstanding RDMA Reads and Atomics of the peer.
 *     {@link EnhancedData#NOT_NEGOTIATED} leaves it to the layers above.
 * @param ord outbound read depth: requested number of outstanding RDMA Reads and Atomics of this side; likewise
 * @param peerToPeer as initiator, send a ready-to-receive message first, so that the responder's layer above may send
 *     first. Revision 2 only; a responder follows the Request.
 * @param rtrTypes supported ready-to-receive messages; not empty in revision 2 (RFC 6581 §9.2)
 */
public record StartSettings(
        int revision, boolean markers, boolean crc, int ird, int ord, boolean peerToPeer, Set<RtrType> rtrTypes) {

    /**
     * Revision 2, no Markers, CRC, one Read in each direction, client-server; RTR by Write or Read, which consume no
     * receive.
     */
    public static final StartSettings DEFAULT =
            new StartSettings(StartFrame.REVISION_2, false, true, 1, 1, false, Set.of(RtrType.WRITE, RtrType.READ));

    /** Checks what can be checked without the peer. */
    public StartSettings {
        if (revision != StartFrame.REVISION_1 && revision != StartFrame.REVISION_2) {
            throw new IllegalArgumentException("MPA revision " + revision + ": choose 1 or 2");
        }
        EnhancedData.checkDepth("IRD", ird);
        EnhancedData.checkDepth("ORD", ord);
        if (peerToPeer && revision == StartFrame.REVISION_1) {
            throw new IllegalArgumentException("the peer-to-peer set-up needs MPA revision 2");
        }
        if (revision == StartFrame.REVISION_2 && rtrTypes.isEmpty()) {
            throw new IllegalArgumentException("MPA revision 2 needs at least one ready-to-receive message");
        }
        rtrTypes = RtrType.setOf(rtrTypes);
    }

    /** {@return a copy with other read depths} */
    public StartSettings withDepths(int newIrd, int newOrd) {
        return new StartSettings(revision, markers, crc, newIrd, newOrd, peerToPeer, rtrTypes);
    }

    /** {@return a copy with another revision, without peer-to-peer below revision 2} */
    public StartSettings withRevision(int newRevision) {
        boolean stillPeerToPeer = peerToPeer && newRevision != StartFrame.REVISION_1;
        return new StartSettings(newRevision, markers, crc, ird, ord, stillPeerToPeer, rtrTypes);
    }
}
