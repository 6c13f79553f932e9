package dev.jwarp.conformance.wire;

/**
 * What is kept of a segment, whose payload may be long, to see whether the next one continues its message.
 *
 * @param length bytes of its payload
 * @param zeros how many of the last three bytes of its payload are zero, counted from the end
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

    /** Keeps what is needed of a segment. */
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

    /** Whether the segment that follows is of the same message. */
    public boolean isContinuedBy(Segment next) {
        return !last
                && opcodeNumber == next.opcodeNumber()
                && tagged == next.tagged()
                && (tagged ? stag == next.stag() : queue == next.queue() && msn == next.msn());
    }

    /** Bytes at the end by which the offset of a segment that continues it does not advance; -1 if they are no pad. */
    public int uncounted(Segment next) {
        long more = length - (tagged ? next.to() - to : next.mo() - mo);
        return more == 0 ? 0 : more > 0 && more <= zeros ? (int) more : -1;
    }

    /**
     * Bytes by which it is longer than its ULPDU is meant to be, as the offset of the segment that follows says; 0 unless they are 1 to 3 zeros,
     * as of a pad.
     */
    public int surplus(Segment next) {
        return isContinuedBy(next) ? Math.max(0, uncounted(next)) : 0;
    }
}
