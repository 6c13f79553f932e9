package dev.jwarp.mpa;

import java.util.Set;

/**
 * What one side wants of a connection's start-up.
 *
 * @param revision highest MPA revision: an initiator sends it, a responder takes it and every lower one. 2 negotiates
 *     IRD and ORD (RFC 6581), 1 does not (RFC 5044).
 * @param markers whether we want Markers in what we receive; what we send is the peer's wish
 * @param crc whether we want CRCs; they are in use as soon as one side wants them
 * @param ird inbound read depth: how many RDMA Reads and Atomics of the peer we can hold. {@link
 *     EnhancedData#NOT_NEGOTIATED} leaves it to the layers above.
 * @param ord outbound read depth: how many RDMA Reads and Atomics we want to have outstanding; likewise
 * @param peerToPeer as initiator, send a ready-to-receive message first, so that the responder's layer above may send
 *     first. Revision 2 only; a responder follows the Request.
 * @param rtrTypes ready-to-receive messages we can send and take; not empty in revision 2 (RFC 6581 §9.2)
 */
public record StartSettings(
        int revision, boolean markers, boolean crc, int ird, int ord, boolean peerToPeer, Set<RtrType> rtrTypes) {

    /** Revision 2, no Markers, CRC, one read each way, client-server; RTR by Write or Read, which take no buffer. */
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

    /** {@return these settings with other read depths} */
    public StartSettings withDepths(int newIrd, int newOrd) {
        return new StartSettings(revision, markers, crc, newIrd, newOrd, peerToPeer, rtrTypes);
    }

    /** {@return these settings with another revision; peer-to-peer is dropped with revision 2} */
    public StartSettings withRevision(int newRevision) {
        boolean stillPeerToPeer = peerToPeer && newRevision != StartFrame.REVISION_1;
        return new StartSettings(newRevision, markers, crc, ird, ord, stillPeerToPeer, rtrTypes);
    }
}
