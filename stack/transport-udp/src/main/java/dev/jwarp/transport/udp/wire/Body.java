package dev.jwarp.transport.udp.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the views of extensions and bodies have in common: where they look. They read and write by absolute index in
 * big-endian buffers, and do not check: {@link DatagramParser} has done that, or the caller made the room.
 */
abstract class Body {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** What it looks at. */
    ByteBuffer buffer = NOTHING;
    /** Index of its first octet. */
    int at;

    /** Looks at the octets of {@code buffer} from {@code offset} on; as many as it is long must be there. */
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
