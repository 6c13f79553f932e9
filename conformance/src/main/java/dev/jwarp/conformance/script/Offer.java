package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.StartFrame;

/**
 * What the tester offers at start-up unless the case says otherwise.
 *
 * @param revision of the Requests of the tester: 2 or 1
 * @param enhanced whether the Requests have the IRD/ORD word of RFC 6581; then the revision is 2
 * @param crc whether the tester asks for CRCs
 * @param markers whether the tester asks for Markers
 * @param depths IRD and ORD of the tester
 * @param firm whether a Reply states this IRD even if the device asks for a higher one
 * @param privateData of a Request or a Reply, at most 508 bytes
 */
public record Offer(
        int revision, boolean enhanced, boolean crc, boolean markers, Depths depths, boolean firm, byte[] privateData) {
    /** Revision 2, CRCs, no Markers, 16 Reads each way, no private data. */
    public static final Offer USUAL = new Offer(2, true, true, false, Depths.clientServer(16, 16), false, new byte[0]);

    public Offer plain(int revision) {
        return new Offer(revision, false, crc, markers, depths, firm, privateData);
    }

    public Offer withCrc(boolean crc) {
        return new Offer(revision, enhanced, crc, markers, depths, firm, privateData);
    }

    public Offer withMarkers() {
        return new Offer(revision, enhanced, crc, true, depths, firm, privateData);
    }

    public Offer with(Depths depths) {
        return new Offer(revision, enhanced, crc, markers, depths, firm, privateData);
    }

    /** A Reply states this IRD, whatever the device asks for. */
    public Offer firmly() {
        return new Offer(revision, enhanced, crc, markers, depths, true, privateData);
    }

    public Offer withPrivateData(byte... octets) {
        return new Offer(revision, enhanced, crc, markers, depths, firm, octets.clone());
    }

    /** A Request of this revision, with the IRD/ORD word if the offer is enhanced. */
    public StartFrame request() {
        StartFrame request = plainRequest().revision(revision);
        return enhanced ? request.enhanced(depths) : request;
    }

    /** A Request of revision 1; the case adds the rest. */
    public StartFrame plainRequest() {
        return flagged(StartFrame.request()).privateData(privateData);
    }

    /** A Reply of revision 1 that accepts. */
    public StartFrame plainReply() {
        return flagged(StartFrame.reply()).privateData(privateData);
    }

    private StartFrame flagged(StartFrame frame) {
        if (!crc) {
            frame.without(StartFrame.CRC);
        }
        return markers ? frame.with(StartFrame.MARKERS) : frame;
    }

    /** A Reply that accepts, with the revision of the Request, and with the IRD/ORD word if the Request has it. */
    public StartFrame replyTo(StartFrame request) {
        StartFrame reply = plainReply().revision(Math.max(1, Math.min(2, request.revision())));
        Depths asked = request.depths();
        if (asked == null) {
            return reply;
        }
        return reply.enhanced(new Depths(
                asked.peerToPeer(),
                asked.peerToPeer() ? asked.rtr() : 0,
                firm ? depths.ird() : Math.max(depths.ird(), asked.ord()),
                Math.min(depths.ord(), asked.ird())));
    }

    @Override
    public String toString() {
        return "revision " + revision + (enhanced ? " enhanced, " + depths : "") + (crc ? ", CRCs" : "")
                + (markers ? ", Markers" : "") + ", private data " + Octets.hex(privateData);
    }
}
