package dev.jwarp.rdmap.message;

import java.nio.ByteBuffer;

/** A reusable view of an RDMAP header. Reads and writes by absolute index in a big-endian buffer. One thread at a time. */
abstract class HeaderView {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(AtomicRequestHeader.LENGTH); // the longest

    private final int headerLength;
    ByteBuffer buffer = NOTHING;
    int at;

    HeaderView(int headerLength) {
        this.headerLength = headerLength;
    }

    /**
     * Moves the view to another header.
     *
     * @return false if {@code length} octets are too few for the header; after true no accessor can overrun
     */
    public final boolean wrap(ByteBuffer header, int offset, int length) {
        if (length < headerLength) {
            return false;
        }
        buffer = header;
        at = offset;
        return true;
    }
}
