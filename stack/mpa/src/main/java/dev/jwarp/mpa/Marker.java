package dev.jwarp.mpa;

/**
 * The Marker: four octets at every multiple of 512 in the stream, with the distance back to the start of the
 * surrounding FPDU (RFC 5044 §4.2, §4.3).
 *
 * <pre>
 *   0: RESERVED (2, sent 0, ignored) | 2: FPDUPTR (2, its low two bits sent 0, taken as 0)
 * </pre>
 *
 * <p>Positions are octets since the start of full operation of one direction, Markers included; a {@code long} never
 * wraps. Because FPDUs begin and end on multiples of four, a Marker never falls into a length field, a pad or a CRC.
 */
final class Marker {
    /** Octets of a Marker. */
    static final int LENGTH = 4;

    /** From the first octet of one Marker to the first octet of the next. */
    static final int INTERVAL = 512;

    /**
     * RFC 5044 §4.2, MPA-4.2-2, MPA-4.2-3: the pointer is the low half of the word, with its low two bits read as zero.
     */
    private static final int POINTER_MASK = 0xFFFC;

    private Marker() {}

    /** {@return whether there is a Marker at this position} */
    static boolean isAt(long streamOffset) {
        // MPA-4.3-8: the position is a count of octets, not a TCP sequence number, and never wraps.
        return (streamOffset & (INTERVAL - 1)) == 0;
    }

    /** {@return octets from this position to the next Marker after it, 1 to 512} */
    static int distanceFrom(long streamOffset) {
        return INTERVAL - (int) (streamOffset & (INTERVAL - 1));
    }

    /**
     * Counts the Markers of one FPDU: before its start if due there, within, and between pad and CRC. A Marker due
     * directly after the CRC belongs to the next FPDU.
     *
     * @param bodyLength octets from the length field to the end of the pad
     * @param streamOffset start of the FPDU, including its leading Marker
     */
    static int countIn(int bodyLength, long streamOffset) {
        int leading = isAt(streamOffset) ? 1 : 0;
        int room = distanceFrom(streamOffset) - leading * LENGTH;
        return bodyLength < room ? leading : leading + 1 + (bodyLength - room) / (INTERVAL - LENGTH);
    }

    /** {@return the number of Markers in {@code length} octets from this position} */
    static int countFrom(long streamOffset, int length) {
        long behind = streamOffset + INTERVAL - 1;
        return (int) ((behind + length) / INTERVAL - behind / INTERVAL);
    }

    /** {@return the word of a Marker this many octets after the start of its FPDU's length field} */
    static int word(int octetsBack) {
        // MPA-4.2-1: the reserved half is zero. MPA-4.3-6: the Marker points to the surrounding FPDU.
        return octetsBack & POINTER_MASK;
    }

    /** {@return whether a received Marker points to the length field, this many octets before it} */
    static boolean agrees(int word, int octetsBack) {
        return (word & POINTER_MASK) == (octetsBack & POINTER_MASK);
    }
}
