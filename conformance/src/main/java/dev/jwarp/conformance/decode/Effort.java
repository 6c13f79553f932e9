package dev.jwarp.conformance.decode;

/**
 * Limits how many bytes of one side are read again to find out where its FPDUs begin and how they are framed: a
 * number of bytes for each byte that comes, whatever the capture holds.
 */
final class Effort {
    /** Streams whose framing is found out rightly need less than half of it. */
    static final int EACH = 64;
    /** Bytes for the beginning, so that the limit suffices for short streams, too. */
    static final long FIRST = 256 << 10;

    private long allowed = FIRST;
    private long spent;
    private boolean refused;

    /** Counts bytes that came. */
    void come(int octets) {
        allowed += (long) EACH * octets;
    }

    void spend(long octets) {
        spent += octets;
    }

    long spent() {
        return spent;
    }

    /** Whether more may be spent. */
    boolean isLeft() {
        refused |= spent >= allowed;
        return spent < allowed;
    }

    /** Whether something was left out. */
    boolean refused() {
        return refused;
    }
}
