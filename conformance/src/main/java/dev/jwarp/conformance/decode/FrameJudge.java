package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;
import java.util.List;

/** Finds breaches of MPA in an FPDU: pad, Markers, CRC. */
final class FrameJudge {
    /** RFC 5044 §3: the longest ULPDU that a sender may send. */
    private static final int MOST = 64_768;

    private FrameJudge() {}

    static void judge(Fpdu fpdu, Crc crc, List<Finding> findings) {
        if (fpdu.ulpdu().length > MOST) {
            findings.add(new Finding("MPA-3-2", "the ULPDU has " + fpdu.ulpdu().length + " bytes, more than 64768"));
        }
        if (crc == Crc.CUT) {
            return;
        }
        if (Octets.number(fpdu.pad(), 0, fpdu.pad().length) != 0) {
            findings.add(new Finding("MPA-4.1-3", "the pad is " + Octets.hex(fpdu.pad()) + ", not zero"));
        }
        fpdu.markers().forEach(marker -> marker(marker, findings));
        if (crc == Crc.BAD) {
            crc(fpdu.octets(), findings);
        }
    }

    private static void marker(Fpdu.Marker marker, List<Finding> findings) {
        if (marker.reserved() != 0) {
            findings.add(
                    new Finding("MPA-4.2-1", "the reserved half of a Marker is 0x%04X".formatted(marker.reserved())));
        }
        // FPDUs whose size is no multiple of 4 bytes are a fault that was reported before.
        if ((marker.pointer() & 3) != 0 && marker.pointer() != marker.expected()) {
            findings.add(new Finding("MPA-4.2-2", "FPDUPTR is " + marker.pointer() + ": its low bits are not zero"));
        }
        if (!marker.points() && (marker.pointer() & ~3) != marker.expected()) {
            String id = marker.position() == 0 ? "MPA-4.3-2" : marker.expected() == 0 ? "MPA-4.3-7" : "MPA-4.3-4";
            findings.add(new Finding(
                    id,
                    "FPDUPTR of the Marker at %d is %d; the FPDU starts %d bytes before it"
                            .formatted(marker.position(), marker.pointer(), marker.expected())));
        }
    }

    private static void crc(byte[] octets, List<Finding> findings) {
        int at = octets.length - 4;
        byte[] right = Framer.crcOnTheWire(octets, 0, at);
        byte[] seen = Arrays.copyOfRange(octets, at, octets.length);
        byte[] turned = {seen[3], seen[2], seen[1], seen[0]};
        String what = "the CRC is " + Octets.hex(seen) + ", should be " + Octets.hex(right);
        findings.add(
                Arrays.equals(turned, right)
                        ? new Finding("MPA-4.4-3", what + ": its bytes are in reverse order")
                        : new Finding("MPA-4.4-2", what));
    }
}
