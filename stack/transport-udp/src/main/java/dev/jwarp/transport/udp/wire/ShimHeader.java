package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;

/**
 * The shim with which every datagram begins: reads and writes the values of a {@link Shim} (datagram-iWARP §4.2).
 *
 * <pre>
 *  octet  0          1               4       5          8      12           16               20              22
 *         Ver | Kind | Dest. QPN (3) | Flags | Src. QPN | Key  | Message Id | Message Length | Segment Index | Segment Size
 * </pre>
 *
 * <p>By absolute index in big-endian buffers. No state; any thread.
 */
public final class ShimHeader {
    /** Version in the high half, Kind in the low half (datagram-iWARP §4.2). */
    public static final int VERSION_AND_KIND_OFFSET = 0;
    /** A word of octet 0 and the Destination QPN of 24 bits. */
    public static final int DESTINATION_WORD_OFFSET = 0;
    /** The flags (datagram-iWARP §4.2). */
    public static final int FLAGS_OFFSET = 4;
    /** A word of the flags and the Source QPN of 24 bits. */
    public static final int SOURCE_WORD_OFFSET = 4;
    /** The Key (datagram-iWARP §4.3). */
    public static final int KEY_OFFSET = 8;
    /** The Message Id (datagram-iWARP §4.2). */
    public static final int MESSAGE_ID_OFFSET = 12;
    /** The Message Length (datagram-iWARP §4.2). */
    public static final int MESSAGE_LENGTH_OFFSET = 16;
    /** The Segment Index (datagram-iWARP §4.5). */
    public static final int SEGMENT_INDEX_OFFSET = 20;
    /** The Segment Size (datagram-iWARP §4.5). */
    public static final int SEGMENT_SIZE_OFFSET = 22;
    /** The octets of the shim; extension or body follows. */
    public static final int LENGTH = 24;

    /** The version of this format (datagram-iWARP §4.7). */
    public static final int VERSION = 1;
    /** The versions of this end, bit v for version v. */
    public static final int VERSIONS = 1 << VERSION;
    /** The Q_Key of every resolver (datagram-iWARP §4.3, DG-4.3-2). */
    public static final int RESOLVER_KEY = 0x8001_0000;

    /** Flag R: an answer to a datagram. */
    public static final int REPLY = 0x01;
    /** Flag C: a cookie follows the shim. */
    public static final int COOKIE = 0x02;
    /** Flag D: DATA of a reliable channel. */
    public static final int RELIABLE = 0x04;
    /** Flag G: a datagram to a group. */
    public static final int GROUP = 0x08;
    /** Flag A, only with D: an acknowledgement is wanted at once. */
    public static final int ACK_WANTED = 0x10;
    /** Flag P: pad follows the payload. */
    public static final int PADDED = 0x20;
    /** The two flags that are reserved in version 1. */
    public static final int RESERVED_FLAGS = 0xC0;

    /** In the last eight octets of the shim as a long: an increment of the Segment Index, and its maximum. */
    private static final long ONE_SEGMENT = 1L << 16;

    private static final long LAST_INDEX = 0xffffL << 16;

    private static final int QPN_MASK = 0xff_ffff;
    private static final int FLAGS_SHIFT = 24;

    private ShimHeader() {}

    /** {@return the version, 0 to 15} */
    public static int version(ByteBuffer in, int at) {
        return (in.get(at + VERSION_AND_KIND_OFFSET) >>> 4) & 0xf;
    }

    /** {@return the number of the Kind, 0 to 15} */
    public static int kindCode(ByteBuffer in, int at) {
        return in.get(at + VERSION_AND_KIND_OFFSET) & 0xf;
    }

    /** {@return the flags, 0 to 255} */
    public static int flags(ByteBuffer in, int at) {
        return in.get(at + FLAGS_OFFSET) & 0xff;
    }

    /** {@return whether two shims differ only in the Segment Index, which is one higher at {@code next}} */
    static boolean follows(ByteBuffer in, int before, int next) {
        long numbers = in.getLong(before + MESSAGE_LENGTH_OFFSET);
        return in.getLong(next) == in.getLong(before)
                && in.getLong(next + KEY_OFFSET) == in.getLong(before + KEY_OFFSET)
                && in.getLong(next + MESSAGE_LENGTH_OFFSET) == numbers + ONE_SEGMENT
                && (numbers & LAST_INDEX) != LAST_INDEX;
    }

    /** Reads all fields of a {@link Shim}; there must be {@link #LENGTH} octets. */
    public static void read(ByteBuffer in, int at, Shim shim) {
        int source = in.getInt(at + SOURCE_WORD_OFFSET);
        int flags = source >>> FLAGS_SHIFT;
        shim.addressed(
                        in.getInt(at + DESTINATION_WORD_OFFSET) & QPN_MASK,
                        source & QPN_MASK,
                        in.getInt(at + KEY_OFFSET))
                .message(in.getInt(at + MESSAGE_ID_OFFSET), in.getInt(at + MESSAGE_LENGTH_OFFSET) & 0xffff_ffffL)
                .segment(
                        in.getShort(at + SEGMENT_INDEX_OFFSET) & 0xffff, in.getShort(at + SEGMENT_SIZE_OFFSET) & 0xffff)
                .flags((flags & REPLY) != 0, (flags & RELIABLE) != 0, (flags & GROUP) != 0, (flags & PADDED) != 0);
    }

    /**
     * Copies a shim and its extension, and increments the Segment Index.
     *
     * @param before the offset of the shim to copy
     * @param end the offset of the DDP header behind it, a multiple of 8 octets after {@code before}
     * @return the offset of the DDP header behind the copy
     */
    public static int writeNext(ByteBuffer memory, int before, int end, int next) {
        memory.putLong(next, memory.getLong(before));
        memory.putLong(next + KEY_OFFSET, memory.getLong(before + KEY_OFFSET));
        memory.putLong(next + MESSAGE_LENGTH_OFFSET, memory.getLong(before + MESSAGE_LENGTH_OFFSET) + ONE_SEGMENT);
        int length = end - before;
        for (int i = LENGTH; i < length; i += Long.BYTES) {
            memory.putLong(next + i, memory.getLong(before + i));
        }
        return next + length;
    }

    /**
     * Writes all {@link #LENGTH} octets (DG-4.2-1: zeros, too). The caller must combine only legal Kinds and flags.
     *
     * @param moreFlags {@link #COOKIE}, {@link #ACK_WANTED}, both or 0: the flags that a {@link Shim} does not have
     */
    public static void write(ByteBuffer out, int at, Kind kind, Shim shim, int moreFlags) {
        int flags = moreFlags
                | (shim.reply() ? REPLY : 0)
                | (shim.reliable() ? RELIABLE : 0)
                | (shim.group() ? GROUP : 0)
                | (shim.padded() ? PADDED : 0);
        out.putInt(at + DESTINATION_WORD_OFFSET, kind.octet() << FLAGS_SHIFT | shim.destinationQpn());
        out.putInt(at + SOURCE_WORD_OFFSET, flags << FLAGS_SHIFT | shim.sourceQpn());
        out.putInt(at + KEY_OFFSET, shim.key());
        out.putInt(at + MESSAGE_ID_OFFSET, shim.messageId());
        out.putInt(at + MESSAGE_LENGTH_OFFSET, (int) shim.messageLength());
        out.putShort(at + SEGMENT_INDEX_OFFSET, (short) shim.segmentIndex());
        out.putShort(at + SEGMENT_SIZE_OFFSET, (short) shim.segmentSize());
    }
}
