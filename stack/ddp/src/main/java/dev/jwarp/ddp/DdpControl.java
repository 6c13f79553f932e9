package dev.jwarp.ddp;

/**
 * The first octet of every DDP segment.
 *
 * <pre>
 *   7   6   5   4   3   2   1   0
 *   T | L | Rsvd          | DV
 * </pre>
 */
final class DdpControl {
    /** RFC 5041 §4.1: the buffer is tagged. */
    static final int TAGGED = 0x80;
    /** RFC 5041 §4.1, DDP-4.1-1: the last segment of its message, and only that one. */
    static final int LAST = 0x40;
    /** RFC 5041 §4.1: the bits of the version. */
    static final int VERSION_MASK = 0x03;
    /** RFC 5041 §4.1, DDP-4.1-3: the version of this RFC. */
    static final int VERSION = 1;

    private DdpControl() {}

    /** {@return the octet to send; reserved bits zero (RFC 5041 §4.1, DDP-4.1-2)} */
    static byte of(boolean tagged, boolean last) {
        return (byte) ((tagged ? TAGGED : 0) | (last ? LAST : 0) | VERSION);
    }
}
