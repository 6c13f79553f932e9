package dev.jwarp.rdmap.message;

import java.nio.ByteBuffer;

/**
 * The header of Immediate Data, behind the untagged DDP header. RFC 7306 §6.2.
 *
 * <pre>
 *  octet  0
 *         Immediate Data (8)      8 octets
 * </pre>
 */
public final class ImmediateDataHeader {
    /** The data. */
    public static final int DATA_OFFSET = 0;
    /** Octets of the header. */
    public static final int LENGTH = 8;

    private ImmediateDataHeader() {}

    /** {@return the data of the header that begins at {@code at} in a big-endian buffer} */
    public static long data(ByteBuffer header, int at) {
        return header.getLong(at + DATA_OFFSET);
    }

    /** Writes the header. */
    public static void data(ByteBuffer header, int at, long data) {
        header.putLong(at + DATA_OFFSET, data);
    }
}
