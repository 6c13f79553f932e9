package dev.jwarp.mpa;

import java.util.Set;

/**
 * What both sides agreed on: with this the stream of FPDUs begins.
 *
 * @param initiator whether we sent the Request
 * @param revision of MPA that the frames had (RFC 5044 §3: told to the layers above)
 * @param crc whether the CRC is in use, in both directions
 * @param sendMarkers whether we must send Markers
 * @param receiveMarkers whether the peer sends Markers
 * @param ird inbound read depth: RDMA Reads and Atomics of the peer we must be able to hold. {@link
 *     EnhancedData#NOT_NEGOTIATED} only if our settings said so.
 * @param ord outbound read depth: how many of ours may be outstanding; likewise
 * @param rtrTypes empty in the client-server set-up. Else, initiator: the one ready-to-receive message that must go out
 *     before everything else; responder: those of which one will come first (none in common: a Terminate will).
 * @param peerFrame the peer's frame, with its private data and, in the enhanced set-up, its IRD and ORD as they came,
 *     which are the business of the layer above too (RFC 6581 §9.1)
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
     * {@return initiator: whether the Reply has A and C though the Request had no A} RFC 6581 §9.2 forbids such a Reply; a responder that
     * sends it says that it waits for an RDMA Write of no octets. C without A is ignored (MPA2-9.2-6).
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
