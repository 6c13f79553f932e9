package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import org.jspecify.annotations.Nullable;

/** What the two sides of a connection agreed on, as far as it was captured. */
final class Agreement {
    private @Nullable StartFrame request;
    private @Nullable StartFrame reply;
    private boolean crcSeenRight;

    void started(boolean byRequest, StartFrame frame) {
        request = byRequest ? frame : request;
        reply = byRequest ? reply : frame;
    }

    @Nullable
    StartFrame request() {
        return request;
    }

    @Nullable
    StartFrame reply() {
        return reply;
    }

    /** RFC 5044 §7.1.1: whether a side receives Markers, as its own frame asks. Null if that frame was not captured. */
    @Nullable
    Boolean markersFrom(boolean initiator) {
        StartFrame asking = initiator ? reply : request;
        return asking == null ? null : asking.has(StartFrame.MARKERS);
    }

    /**
     * RFC 5044 §7.1.1: whether CRCs are in use; a request of one side suffices for both directions. Null if this is not
     * known.
     */
    @Nullable
    Boolean crcInUse() {
        if ((request != null && request.has(StartFrame.CRC)) || (reply != null && reply.has(StartFrame.CRC))) {
            return true;
        }
        if (request != null && reply != null) {
            return false;
        }
        return crcSeenRight ? Boolean.TRUE : null;
    }

    /** The state of a CRC field. */
    Crc crc(boolean right) {
        Boolean used = crcInUse();
        if (used == null && right) {
            crcSeenRight = true;
        }
        if (Boolean.FALSE.equals(used) || (used == null && !right)) {
            return Crc.OFF;
        }
        return right ? Crc.OK : Crc.BAD;
    }

    /**
     * False if RFC 6581 §9.2 asks the initiator for a Ready-to-Receive message, and its first segment is not an agreed
     * one.
     */
    boolean opensAsAgreed(Segment first) {
        Depths asked = request == null ? null : request.depths();
        Depths answered = reply == null ? null : reply.depths();
        if (asked == null || answered == null || !asked.peerToPeer() || !answered.peerToPeer()) {
            return true;
        }
        int common = asked.rtr() & answered.rtr();
        boolean empty = first.payload().length == 0;
        return switch (first.opcodeNumber()) {
            case 0 -> (common & Depths.WRITE) != 0 && empty;
            case 1 -> (common & Depths.READ) != 0 && first.payload().length >= 16 && first.number(12, 4) == 0;
            case 3 -> (common & Depths.SEND) != 0 && empty;
            // RFC 6581 §9: the initiator may also have to end the connection.
            case 7 -> true;
            default -> false;
        };
    }
}
