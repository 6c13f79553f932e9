package dev.jwarp.transport.udp.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC32C with which every datagram ends, least significant octet first as in iSCSI (§4.1, DG-4.1-1). Position and
 * limit of buffers are ignored and unchanged. Allocates nothing; one thread at a time.
 */
public final class Crc {
    /** Octets of the field. */
    public static final int LENGTH = 4;

    private final CRC32C checksum = new CRC32C();

    /** {@return the field for these octets, to be written by a big-endian {@code putInt}} */
    private int field(ByteBuffer buffer, int offset, int length) {
        checksum.reset();
        if (buffer.hasArray()) {
            checksum.update(buffer.array(), buffer.arrayOffset() + offset, length);
        } else {
            int position = buffer.position();
            int limit = buffer.limit();
            buffer.limit(offset + length).position(offset);
            checksum.update(buffer);
            buffer.limit(limit).position(position);
        }
        return Integer.reverseBytes((int) checksum.getValue());
    }

    /** {@return whether the last four octets of a datagram are the CRC of all before} It has at least four. */
    public boolean matches(ByteBuffer buffer, int offset, int length) {
        return field(buffer, offset, length - LENGTH) == buffer.getInt(offset + length - LENGTH);
    }

    /**
     * Writes the CRC behind a datagram that is otherwise complete.
     *
     * @return the octets of the datagram with CRC
     */
    public int seal(ByteBuffer buffer, int offset, int length) {
        buffer.putInt(offset + length, field(buffer, offset, length));
        return length + LENGTH;
    }
}
