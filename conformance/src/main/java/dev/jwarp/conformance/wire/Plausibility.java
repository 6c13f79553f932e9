package dev.jwarp.conformance.wire;

/** Checks whether bytes look like the header of a DDP segment. Random bytes hardly ever do. */
public final class Plausibility {
    private Plausibility() {}

    /** Whether a whole ULPDU begins with a plausible header. */
    public static boolean ulpdu(byte[] ulpdu) {
        return header(ulpdu, 0, ulpdu.length, ulpdu.length);
    }

    /**
     * Whether a plausible header begins at {@code at}.
     *
     * @param end end of the available bytes
     * @param size the ULPDU_Length
     */
    public static boolean header(byte[] octets, int at, int end, int size) {
        if (end - at < 2 || size < Segment.TAGGED) {
            return false;
        }
        int first = octets[at] & 0xFF;
        int second = octets[at + 1] & 0xFF;
        boolean tagged = (first & 0x80) != 0;
        Opcode opcode = Opcode.of(second & 0xF);
        // RFC 5041 §4.1, RFC 5040 §4.1: reserved bits are zero, both versions are 1.
        if ((first & 0x3F) != 1 || (second & 0xF0) != 0x40 || opcode == null || opcode.tagged() != tagged) {
            return false;
        }
        if (tagged) {
            return true;
        }
        return size >= Segment.UNTAGGED + opcode.header()
                && end - at >= Segment.UNTAGGED
                && Octets.number(octets, at + 6, 4) == opcode.queue();
    }
}
