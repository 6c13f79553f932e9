package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;

/** Finds breaches of MPA in an FPDU: pad, Markers, CRC. */
final class FrameJudge {
    /** RFC 5044 §3: the longest ULPDU that a sender may send. */
    private static final int MOST = 64_768;

    private FrameJudge() {}

    static void judge(Fpdu fpdu, Crc crc, Breaches breaches) {
        if (fpdu.ulpdu().length > MOST) {
            breaches.add("MPA-3-2", "the ULPDU has %s bytes, more than 64768", fpdu.ulpdu().length);
        }
        if (crc == Crc.CUT) {
            return;
        }
        if (Octets.number(fpdu.pad(), 0, fpdu.pad().length) != 0) {
            breaches.add("MPA-4.1-3", "the pad is " + Octets.hex(fpdu.pad()) + ", not zero");
        }
        fpdu.markers().forEach(marker -> marker(marker, breaches));
        if (crc == Crc.BAD) {
            crc(fpdu.octets(), breaches);
        }
    }

    private static void marker(Fpdu.Marker marker, Breaches breaches) {
        if (marker.reserved() != 0) {
            breaches.add("MPA-4.2-1", "the reserved half of a Marker is 0x%04X", marker.reserved());
        }
        // FPDUs whose size is no multiple of 4 bytes are a fault that was reported before.
        if ((marker.pointer() & 3) != 0 && marker.pointer() != marker.expected()) {
            breaches.add("MPA-4.2-2", "FPDUPTR is " + marker.pointer() + ": its low bits are not zero");
        }
        if (!marker.points() && (marker.pointer() & ~3) != marker.expected()) {
            String id = marker.position() == 0 ? "MPA-4.3-2" : marker.expected() == 0 ? "MPA-4.3-7" : "MPA-4.3-4";
            breaches.add(
                    id,
                    "FPDUPTR of the Marker at %d is %d; the FPDU starts %d bytes before it",
                    marker.position(),
                    marker.pointer(),
                    marker.expected());
        }
    }

    private static void crc(byte[] octets, Breaches breaches) {
        int at = octets.length - 4;
        byte[] right = Framer.crcOnTheWire(octets, 0, at);
        byte[] seen = Arrays.copyOfRange(octets, at, octets.length);
        byte[] turned = {seen[3], seen[2], seen[1], seen[0]};
        String what = "the CRC is " + Octets.hex(seen) + ", should be " + Octets.hex(right);
        if (Arrays.equals(turned, right)) {
            breaches.add("MPA-4.4-3", what + ": its bytes are in reverse order");
        } else {
            breaches.add("MPA-4.4-2", what);
        }
    }
}
