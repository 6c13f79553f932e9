package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.wire.Depths;

/** A choice of the tester, at start-up or in how it writes, under which a case is tried again that leaves the choice open. */
public enum Parameter {
    /** Revision 2, CRCs, no Markers, client and server, a write for each FPDU. */
    USUAL("with the usual choices"),
    MARKERS("with Markers for the tester"),
    /** Where the device asks for CRCs they are in use all the same. */
    NO_CRC("without CRCs asked by the tester"),
    /** Of a Request only: a Reply has to fit. */
    REVISION_1("with revision 1"),
    /** Of a Request only, with an empty RDMA Write as Ready-to-Receive message. */
    PEER_TO_PEER("peer to peer"),
    BYTE_BY_BYTE("byte by byte"),
    TOGETHER("with FPDUs together in one write");

    private final String words;

    Parameter(String words) {
        this.words = words;
    }

    /** For a report: "only …". */
    public String words() {
        return words;
    }

    /** Whether it can be tried with a device in this role. */
    boolean fits(Role device) {
        return switch (this) {
            case REVISION_1, PEER_TO_PEER -> device == Role.RESPONDER;
            default -> device != Role.DATAGRAM;
        };
    }

    /** What the tester offers with this choice. */
    Offer on(Offer offer) {
        return switch (this) {
            case MARKERS -> offer.withMarkers();
            case NO_CRC -> offer.withCrc(false);
            case REVISION_1 -> offer.plain(1);
            case PEER_TO_PEER -> {
                Depths own = offer.depths();
                yield offer.with(new Depths(true, Depths.WRITE, own.ird(), own.ord()));
            }
            default -> offer;
        };
    }

    /** How the tester writes with it. */
    Wire.Writes writes() {
        return switch (this) {
            case BYTE_BY_BYTE -> Wire.Writes.BYTE_BY_BYTE;
            case TOGETHER -> Wire.Writes.TOGETHER;
            default -> Wire.Writes.EACH;
        };
    }
}
