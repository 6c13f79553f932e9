package dev.jwarp.conformance.wire;

/**
 * A segment without its payload, which may be long: shows whether the next segment continues its message.
 *
 * @param header the segment without its payload
 * @param length bytes of its payload
 * @param zeros number of zeros at the end of its payload, at most three
 */
public record PriorSegment(Segment header, int length, int zeros) {
    private static final int MOST_PAD = 3;

    /** Keeps the needed fields of a segment. */
    public static PriorSegment of(Segment segment) {
        byte[] payload = segment.payload();
        int zeros = 0;
        while (zeros < Math.min(MOST_PAD, payload.length) && payload[payload.length - 1 - zeros] == 0) {
            zeros++;
        }
        return new PriorSegment(segment.header(), payload.length, zeros);
    }

    /** Whether the next segment belongs to the same message. */
    public boolean isContinuedBy(Segment next) {
        return !header.last()
                && header.opcodeNumber() == next.opcodeNumber()
                && header.tagged() == next.tagged()
                && (header.tagged()
                        ? header.stag() == next.stag()
                        : header.queue() == next.queue() && header.msn() == next.msn());
    }

    /**
     * Bytes at the end of this segment that the offset of the next segment does not count; -1 if they cannot be a pad.
     */
    public int uncounted(Segment next) {
        long more = length - (header.tagged() ? next.to() - header.to() : next.mo() - header.mo());
        return more == 0 ? 0 : more > 0 && more <= zeros ? (int) more : -1;
    }

    /**
     * Bytes by which this segment is longer than its ULPDU is meant to be, by the offset of the next segment; 0 unless
     * they are 1 to 3 zeros, like a pad.
     */
    public int surplus(Segment next) {
        return isContinuedBy(next) ? Math.max(0, uncounted(next)) : 0;
    }
}
