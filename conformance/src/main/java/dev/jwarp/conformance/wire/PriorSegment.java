package dev.jwarp.conformance.wire;

/**
 * The fields of a segment that show whether the next segment continues its message, without the payload, which may be
 * long.
 *
 * @param length bytes of its payload
 * @param zeros number of zeros at the end of its payload, at most three
 */
public record PriorSegment(
        int opcodeNumber,
        boolean tagged,
        boolean last,
        long stag,
        long to,
        long invalidate,
        long queue,
        long msn,
        long mo,
        int length,
        int zeros) {
    private static final int MOST_PAD = 3;

    /** Keeps the needed fields of a segment. */
    public static PriorSegment of(Segment segment) {
        byte[] payload = segment.payload();
        int zeros = 0;
        while (zeros < Math.min(MOST_PAD, payload.length) && payload[payload.length - 1 - zeros] == 0) {
            zeros++;
        }
        return new PriorSegment(
                segment.opcodeNumber(),
                segment.tagged(),
                segment.last(),
                segment.stag(),
                segment.to(),
                segment.invalidate(),
                segment.queue(),
                segment.msn(),
                segment.mo(),
                payload.length,
                zeros);
    }

    /** Whether the next segment belongs to the same message. */
    public boolean isContinuedBy(Segment next) {
        return !last
                && opcodeNumber == next.opcodeNumber()
                && tagged == next.tagged()
                && (tagged ? stag == next.stag() : queue == next.queue() && msn == next.msn());
    }

    /**
     * Bytes at the end of this segment that the offset of the next segment does not count; -1 if they cannot be a pad.
     */
    public int uncounted(Segment next) {
        long more = length - (tagged ? next.to() - to : next.mo() - mo);
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
