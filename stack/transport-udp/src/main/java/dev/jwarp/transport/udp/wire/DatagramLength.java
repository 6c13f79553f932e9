package dev.jwarp.transport.udp.wire;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import java.nio.ByteBuffer;

/**
 * Arithmetic of lengths: the payload that fits into a datagram, and the length by a datagram's own fields. No state;
 * any thread.
 */
public final class DatagramLength {
    /** The shortest datagram: a shim and a CRC (datagram-iWARP §4.1). */
    public static final int SHORTEST = ShimHeader.LENGTH + Crc.LENGTH;

    /** The longest datagram: the octets of the largest UDP payload over IPv4, and of a segmented send. */
    public static final int LARGEST = 65_507;

    /** datagram-iWARP §4.5: bit T of the DDP control octet selects the length of the header. */
    private static final int TAGGED = 0x80;

    private DatagramLength() {}

    /** {@return the octets of the extension behind the shim of that Kind with these flags} */
    public static int extension(Kind kind, int flags) {
        if ((flags & ShimHeader.RELIABLE) != 0) {
            // datagram-iWARP §4.2: in other Kinds D only gives the meaning of the Key
            return kind == Kind.DATA ? RdExtension.LENGTH : 0;
        }
        return (flags & ShimHeader.COOKIE) != 0 ? CookieBody.LENGTH : 0;
    }

    /** {@return octets of the DDP header that begins with this octet} */
    public static int ddpHeader(int controlOctet) {
        return (controlOctet & TAGGED) != 0 ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    /**
     * {@return the largest Segment Size: the largest multiple of 4 that fits} (datagram-iWARP §4.5, DG-4.5-4)
     *
     * @param datagram octets of the largest datagram
     * @param extension octets of the extension
     * @param ddpHeader octets of the DDP header
     */
    public static int segmentSize(int datagram, int extension, int ddpHeader) {
        return (datagram - SHORTEST - extension - ddpHeader) & ~3;
    }

    /**
     * {@return the length of the datagram at {@code offset} by its own fields, 1 to {@code available}} Used to divide a
     * read in which the kernel joined several datagrams of equal length (the last may be shorter): all pieces have the
     * first one's length, and each piece is then checked on its own (§4.5, DG-4.1-6). No field is trusted: a datagram
     * that states no length, or more than is available, is one piece.
     *
     * @param available the octets from {@code offset} on
     */
    public static int stated(ByteBuffer buffer, int offset, int available) {
        if (available <= SHORTEST) {
            return available;
        }
        long stated = says(buffer, offset, available);
        return stated >= SHORTEST && stated < available ? (int) stated : available;
    }

    private static long says(ByteBuffer buffer, int offset, int available) {
        if (buffer.get(offset) == (byte) Kind.VERSION_LIST.octet()) {
            return SHORTEST;
        }
        Kind kind = Kind.of(ShimHeader.kindCode(buffer, offset));
        if (kind == null || ShimHeader.version(buffer, offset) != ShimHeader.VERSION) {
            return available;
        }
        return switch (kind) {
            case DATA -> data(buffer, offset, available);
            case RESOLVE -> ResolveBody.DATAGRAM_LENGTH;
            // datagram-iWARP §4.2: in other Kinds the Message Length is that of the body.
            default ->
                SHORTEST
                        + extension(kind, ShimHeader.flags(buffer, offset))
                        + (buffer.getInt(offset + ShimHeader.MESSAGE_LENGTH_OFFSET) & 0xffff_ffffL);
        };
    }

    private static long data(ByteBuffer buffer, int offset, int available) {
        int flags = ShimHeader.flags(buffer, offset);
        int segment = ShimHeader.LENGTH + extension(Kind.DATA, flags);
        if (segment >= available) {
            return available;
        }
        int around = segment + ddpHeader(buffer.get(offset + segment)) + Crc.LENGTH;
        long length = buffer.getInt(offset + ShimHeader.MESSAGE_LENGTH_OFFSET) & 0xffff_ffffL;
        int index = buffer.getShort(offset + ShimHeader.SEGMENT_INDEX_OFFSET) & 0xffff;
        int size = buffer.getShort(offset + ShimHeader.SEGMENT_SIZE_OFFSET) & 0xffff;
        long rest = length - (long) index * size;
        if (rest < 0) {
            return available;
        }
        // datagram-iWARP §4.5: a segment has S octets, except a last one without flag P.
        return around + ((flags & ShimHeader.PADDED) != 0 ? size : Math.min(size, rest));
    }
}
