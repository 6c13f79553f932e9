package dev.jwarp.conformance.decode;

/**
 * Limits how many bytes of one side are read repeatedly to find where its FPDUs begin and how they are framed: a
 * number of bytes for each received byte, whatever the capture holds.
 */
final class Effort {
    /** Streams whose framing is found correctly need less than half of this. */
    static final int EACH = 64;
    /** Extra bytes, so that the limit suffices for short streams, too. */
    static final long FIRST = 256 << 10;

    private long allowed = FIRST;
    private long spent;
    private boolean refused;

    void come(int octets) {
        allowed += (long) EACH * octets;
    }

    void spend(long octets) {
        spent += octets;
    }

    long spent() {
        return spent;
    }

    /** Whether more bytes may be read. */
    boolean isLeft() {
        refused |= spent >= allowed;
        return spent < allowed;
    }

    boolean refused() {
        return refused;
    }
}
