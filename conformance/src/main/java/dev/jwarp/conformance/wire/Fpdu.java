package dev.jwarp.conformance.wire;

import java.util.List;

/**
 * One FPDU as it came.
 *
 * @param octets all of it: Markers, length, ULPDU, pad, CRC
 * @param position where it starts, in bytes since full operation began in this direction; a Marker before the length is part of it
 * @param ulpdu the ULPDU without Markers
 * @param pad the pad
 * @param markers its Markers
 * @param crcGood whether the CRC field is right, be it in use or not
 */
public record Fpdu(byte[] octets, long position, byte[] ulpdu, byte[] pad, List<Marker> markers, boolean crcGood) {

    /**
     * A Marker (RFC 5044 §4.2).
     *
     * @param position where it stands, in bytes since full operation began
     * @param reserved its first half
     * @param pointer its second half, FPDUPTR
     * @param expected what FPDUPTR must be
     */
    public record Marker(long position, int reserved, int pointer, int expected) {
        /** True if it points at the start of its FPDU: where no rule of framing is broken, that is a multiple of 4 bytes away. */
        public boolean points() {
            return pointer == expected || pointer == (expected & ~3);
        }
    }

    /**
     * Where a word stands, a multiple of 4 bytes from the start, that tells this distance as a Marker would and is none as the FPDU was read; -1
     * if there is none.
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

    /** The segment within; complain before with {@link Segment#whole}. */
    public Segment segment() {
        return Segment.parse(ulpdu);
    }
}
