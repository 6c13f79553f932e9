package dev.jwarp.mpa;

import java.util.Set;

/**
 * The result of start-up, with which the stream of FPDUs begins.
 *
 * @param initiator whether this side sent the Request
 * @param revision MPA revision of the frames (RFC 5044 §3: reported to the layers above)
 * @param crc whether the CRC is in use, in both directions
 * @param sendMarkers whether this side must send Markers
 * @param receiveMarkers whether the peer sends Markers
 * @param ird inbound read depth: maximum number of outstanding RDMA Reads and Atomics of the peer.
 *     {@link EnhancedData#NOT_NEGOTIATED} only if the settings of this side say so.
 * @param ord outbound read depth: maximum number of outstanding RDMA Reads and Atomics of this side; likewise
 * @param rtrTypes empty in the client-server set-up. Otherwise, initiator: the ready-to-receive message that must be
 *     sent first; responder: the messages of which one will arrive first (without a common one a Terminate will).
 * @param peerFrame the peer's frame, with its private data and, in the enhanced set-up, its IRD and ORD as received,
 *     which also concern the layer above (RFC 6581 §9.1)
 */
public record Agreement(
        boolean initiator,
        int revision,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int ird,
        int ord,
        Set<RtrType> rtrTypes,
        StartFrame peerFrame)
        implements StartOutcome {

    /** Keeps a copy of the set. */
    public Agreement {
        rtrTypes = RtrType.setOf(rtrTypes);
    }

    /**
     * {@return initiator: whether the Reply has A and C although the Request had no A} RFC 6581 §9.2 forbids such a
     * Reply; a responder that sends it announces that it waits for an RDMA Write of length zero. C without A is ignored
     * (MPA2-9.2-6).
     */
    public boolean writeAwaited() {
        EnhancedData said = peerFrame.enhanced();
        return initiator
                && rtrTypes.isEmpty()
                && said != null
                && said.peerToPeer()
                && said.rtrTypes().contains(RtrType.WRITE);
    }
}
