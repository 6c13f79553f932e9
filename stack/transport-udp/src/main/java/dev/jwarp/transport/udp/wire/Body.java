package dev.jwarp.transport.udp.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The base of the views of extensions and bodies: buffer and index. Views read and write by absolute index in
 * big-endian buffers without checks: {@link DatagramParser} has checked the datagram, or the caller has made room.
 */
abstract class Body {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The buffer of the view. */
    ByteBuffer buffer = NOTHING;
    /** The index of the view's first octet. */
    int at;

    /** Sets buffer and index of the view; {@code buffer} must have all its octets from {@code offset} on. */
    public final void wrap(ByteBuffer buffer, int offset) {
        assert buffer.order() == ByteOrder.BIG_ENDIAN : "headers are read from big-endian buffers";
        this.buffer = buffer;
        this.at = offset;
    }

    final int octet(int offset) {
        return buffer.get(at + offset) & 0xff;
    }

    final int half(int offset) {
        return buffer.getShort(at + offset) & 0xffff;
    }

    /** {@return a copy} Allocates. */
    final byte[] octets(int offset, int length) {
        byte[] copy = new byte[length];
        buffer.get(at + offset, copy);
        return copy;
    }
}
