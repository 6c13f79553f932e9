package dev.jwarp.conformance.wire;

import java.util.List;

/**
 * One received FPDU.
 *
 * @param octets all bytes: Markers, length, ULPDU, pad, CRC
 * @param position start of the FPDU in bytes since full operation began in this direction; a Marker before the length
 *     belongs to the FPDU
 * @param ulpdu the ULPDU without Markers
 * @param pad the pad
 * @param markers its Markers
 * @param crcGood whether the CRC field is right, even if CRCs are not in use
 */
public record Fpdu(byte[] octets, long position, byte[] ulpdu, byte[] pad, List<Marker> markers, boolean crcGood) {

    /**
     * A Marker (RFC 5044 §4.2).
     *
     * @param position place of the Marker in bytes since full operation began
     * @param reserved the first half of the Marker
     * @param pointer the second half, FPDUPTR
     * @param expected the right value of FPDUPTR
     */
    public record Marker(long position, int reserved, int pointer, int expected) {
        /**
         * True if the Marker points at the start of its FPDU. With right framing the distance is a multiple of 4 bytes.
         */
        public boolean points() {
            return pointer == expected || pointer == (expected & ~3);
        }
    }

    /**
     * The offset, a multiple of 4, of a word that has the value of a Marker at its place but was not read as a Marker;
     * -1 if there is no such word.
     */
    public int likeMarker() {
        int start = markers.isEmpty() || markers.get(0).position() != position ? 0 : 4;
        for (int at = start; at + 4 <= octets.length; at += 4) {
            long place = position + at;
            if (Octets.number(octets, at, 4) == at - start && markers.stream().noneMatch(m -> m.position() == place)) {
                return at - start;
            }
        }
        return -1;
    }

    /** True if all Markers point at the start of this FPDU, and their reserved halves are zero. */
    public boolean pointed() {
        return markers.stream().allMatch(marker -> marker.reserved() == 0 && marker.points());
    }

    /** The segment of this FPDU; call {@link Segment#whole} before. */
    public Segment segment() {
        return Segment.parse(ulpdu);
    }
}
