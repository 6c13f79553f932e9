package dev.jwarp.ddp;

/**
 * Segments one message after the other: computes the payload length of the next ULPDU, its offset in the message, and
 * whether it is the last (RFC 5041 §5.2, DDP-5.2-6, DDP-5.2-1). Every segment but the last fills its ULPDU. Reusable;
 * one thread at a time.
 */
public final class Segmenter {
    /** RFC 5041 §5.2, DDP-5.2-5: a message is shorter than this. */
    public static final long MESSAGE_LIMIT = 1L << 32;

    private long messageLength;
    private int headerLength;
    private long next;
    private long offset;
    private boolean last = true;

    /** Creates a segmenter without a message. */
    public Segmenter() {}

    /**
     * Begins a message.
     *
     * @param messageLength octets of payload in all, 0 to 2^32 - 1
     * @param headerLength {@link TaggedHeader#LENGTH} or {@link UntaggedHeader#LENGTH}
     */
    public void begin(long messageLength, int headerLength) {
        if (messageLength < 0 || messageLength >= MESSAGE_LIMIT) {
            throw new IllegalArgumentException(
                    "A message has 0 to 2^32 - 1 bytes, not " + messageLength + ": send it as several");
        }
        this.messageLength = messageLength;
        this.headerLength = headerLength;
        next = 0;
        offset = 0;
        last = false;
    }

    /** {@return true if the message begun last has another segment} A message of length 0 has exactly one. */
    public boolean hasNext() {
        return !last;
    }

    /** {@return octets of a ULPDU with all of the remaining message, header included} */
    public long rest() {
        return headerLength + messageLength - next;
    }

    /**
     * Takes the next segment.
     *
     * @param mulpdu the largest ULPDU now; may change from segment to segment
     * @return octets of its payload
     */
    public int next(int mulpdu) {
        if (last) {
            throw new IllegalStateException("The message has no more segments");
        }
        if (mulpdu <= headerLength) {
            throw new IllegalArgumentException(
                    "A MULPDU of " + mulpdu + " bytes leaves no payload after a header of " + headerLength);
        }
        int length = (int) Math.min(messageLength - next, mulpdu - headerLength);
        // DDP-4.3-4, DDP-5.2-2, DDP-5.3-4: offsets begin with 0 and increase by the octets sent.
        offset = next;
        next += length;
        // DDP-4.1-4, DDP-5.2-3: the last segment has the highest offset; an empty message has one segment.
        last = next == messageLength;
        return length;
    }

    /** {@return offset in the message of the current segment: its MO, or the distance of its TO from the first TO} */
    public long offset() {
        return offset;
    }

    /** {@return true if the current segment ends the message: its L bit} */
    public boolean last() {
        return last;
    }
}
