package dev.jwarp.transport.udp.wire;

import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.nio.ByteBuffer;

/**
 * The format of an envelope, Kind 9 (datagram-iWARP §K.3): the shim of the enclosed datagram, except for octet 0; the
 * fields of the envelope; the rest of the datagram without its CRC; a tag; a CRC.
 *
 * <pre>
 *  octet  0              24       28        29          30       32       40         48     52         60     n-20  n-4
 *         0x19 | shim | Key Id | octet 0 | Algorithm | Length | Origin | Sequence | Time | Receiver | rest | Tag | CRC
 * </pre>
 *
 * <p>A greeting has octets of 0 in place of the shim and of octet 0, and this rest (DG-K.4-1):
 *
 * <pre>
 *  octet  60     76
 *         Asks | Answers
 * </pre>
 *
 * <p>By absolute index in big-endian buffers. No state; any thread.
 */
public final class Envelope {
    /** The octets by which an envelope is longer than its datagram. */
    public static final int OVERHEAD = 52;

    /** The offset of the datagram in an envelope after {@link #unwrap}. */
    public static final int SHIFT = 36;

    /** Octet 0: version 1, Kind 9. */
    static final int OCTET = 0x19;

    public static final int KEY_ID_OFFSET = 24;
    static final int INNER_OCTET_OFFSET = 28;
    public static final int ALGORITHM_OFFSET = 29;
    static final int LENGTH_OFFSET = 30;
    public static final int ORIGIN_OFFSET = 32;
    public static final int SEQUENCE_OFFSET = 40;
    public static final int TIME_OFFSET = 48;
    public static final int RECEIVER_OFFSET = 52;
    public static final int REST_OFFSET = ShimHeader.LENGTH + SHIFT;
    public static final int TAG_LENGTH = 16;

    /** HMAC-SHA-256, truncated to the first 16 octets. */
    public static final int HMAC_SHA_256_128 = 1;

    public static final int AES_128_GCM = 2;

    /** The shortest envelope: that of a datagram with only a shim. */
    public static final int SHORTEST = REST_OFFSET + TAG_LENGTH + Crc.LENGTH;

    /** Octet 0 of the datagram within, in a greeting. */
    public static final int GREETING = 0;

    public static final int ASKS_OFFSET = REST_OFFSET;
    public static final int ANSWERS_OFFSET = ASKS_OFFSET + 16;
    public static final int GREETING_LENGTH = ANSWERS_OFFSET + 16 + TAG_LENGTH + Crc.LENGTH;

    private Envelope() {}

    /** {@return the octets that an envelope adds to each datagram: 0 without keys} */
    public static int octets(UdpSettings settings) {
        return settings.text(UdpSetting.KEYS).isEmpty() ? 0 : OVERHEAD;
    }

    public static boolean is(ByteBuffer buffer, int offset) {
        return buffer.get(offset) == (byte) OCTET;
    }

    public static int length(ByteBuffer buffer, int offset) {
        return buffer.getShort(offset + LENGTH_OFFSET) & 0xffff;
    }

    public static int algorithm(ByteBuffer buffer, int offset) {
        return buffer.get(offset + ALGORITHM_OFFSET) & 0xff;
    }

    /** {@return whether an envelope is a greeting} */
    public static boolean isGreeting(ByteBuffer buffer, int offset) {
        return buffer.get(offset + INNER_OCTET_OFFSET) == GREETING;
    }

    /** {@return whether a greeting has its length, and zero in place of the shim} */
    public static boolean isWholeGreeting(ByteBuffer buffer, int offset, int length) {
        int others = 0;
        for (int i = 1; i < ShimHeader.LENGTH; i++) {
            others |= buffer.get(offset + i);
        }
        return length == GREETING_LENGTH && others == 0;
    }

    /**
     * Writes shim, octet 0, Length and rest; the other fields in front of the tag are the caller's.
     *
     * @param from the offset of the datagram
     * @param length the octets of the datagram, CRC included
     * @return the octets written
     */
    public static int write(ByteBuffer plain, int from, int length, ByteBuffer out, int at) {
        int rest = length - ShimHeader.LENGTH - Crc.LENGTH;
        out.put(at, plain, from, ShimHeader.LENGTH);
        out.put(at, (byte) OCTET);
        out.put(at + INNER_OCTET_OFFSET, plain.get(from));
        out.putShort(at + LENGTH_OFFSET, (short) (length + OVERHEAD));
        out.put(at + REST_OFFSET, plain, from + ShimHeader.LENGTH, rest);
        return REST_OFFSET + rest;
    }

    /** Restores the datagram in place in an envelope of {@code length} octets: moves its shim, and writes its CRC. */
    public static void unwrap(ByteBuffer buffer, int offset, int length, Crc crc) {
        byte inner = buffer.get(offset + INNER_OCTET_OFFSET);
        int begin = offset + SHIFT;
        // From the last octets to the first: source and target overlap, by multiples of 4.
        for (int i = ShimHeader.LENGTH - Integer.BYTES; i >= 0; i -= Integer.BYTES) {
            buffer.putInt(begin + i, buffer.getInt(offset + i));
        }
        buffer.put(begin, inner);
        crc.seal(buffer, begin, length - OVERHEAD - Crc.LENGTH);
    }
}
