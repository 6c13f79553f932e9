package dev.jwarp.messaging;

import java.nio.ByteBuffer;

/**
 * The header of each frame, at the beginning of a Send. All numbers are big-endian. See "Wire format" in
 * docs/messaging.md.
 *
 * <pre>
 *  0  version (high 4 bits), type (low 4 bits)
 *  1  flags
 *  2  number of return buffers behind the header, 16 bytes each
 *  3  zero
 *  4  session of the receiver
 *  8  number of this frame, modulo 2^16; of a reply, CREDIT, DONE and BYE: of the last frame that has one
 * 10  highest number that the receiver of this frame may use
 * 12  correlation: the call that a message begins (CALL) or answers (REPLY); else 0
 * </pre>
 */
final class Frame {
    static final int HEADER = 20;
    static final int RETURN = 16;

    /** Types. */
    static final int SHORT = 1;
    /** A long message: 8 bytes of length, 4 of token, 4 of the written STag or 0, then the pieces as return buffers. */
    static final int LONG = 2;
    /** The end of a long message: 4 bytes of token, 4 of status. */
    static final int DONE = 3;

    static final int CREDIT = 4;
    /** The sender closes. */
    static final int BYE = 5;

    /** Flags. */
    static final int CALL = 1;

    static final int REPLY = 2;
    /** CREDIT: send a CREDIT. */
    static final int ASK = 4;

    /** What follows the return buffers in LONG, without the pieces. */
    static final int LONG_BODY = 16;

    static final int DONE_BODY = 8;

    /** Most buffers of a message, and most return buffers in a frame. */
    static final int MOST_BUFFERS = 16;

    static final int LONGEST_NOTICE = LONG_BODY + MOST_BUFFERS * RETURN;

    static final int TYPE_AT = 0;
    static final int FLAGS_AT = 1;
    static final int RETURNS_AT = 2;
    static final int SESSION_AT = 4;
    static final int NUMBER_AT = 8;
    static final int LIMIT_AT = 10;
    static final int CORRELATION_AT = 12;

    private Frame() {}

    static void header(ByteBuffer to, int type, int flags, int returns, long correlation) {
        to.put((byte) (Hello.VERSION << 4 | type))
                .put((byte) flags)
                .put((byte) returns)
                .put((byte) 0);
        to.putInt(0).putShort((short) 0).putShort((short) 0).putLong(correlation);
    }

    /** Writes session, number and limit, whose values the post determines. */
    static void stamp(ByteBuffer frame, int at, int session, int number, int limit) {
        frame.putInt(at + SESSION_AT, session);
        frame.putShort(at + NUMBER_AT, (short) number);
        frame.putShort(at + LIMIT_AT, (short) limit);
    }

    /** {@return whether {@code length} bytes at {@code at} are a frame of this version, as long as its parts say} */
    static boolean legal(ByteBuffer frame, int at, int length) {
        if (length < HEADER || frame.get(at) >> 4 != Hello.VERSION) {
            return false;
        }
        int body = length - HEADER - returns(frame, at) * RETURN;
        return switch (type(frame, at)) {
            case SHORT -> body >= 0;
            case LONG -> body >= LONG_BODY && (body - LONG_BODY) % RETURN == 0;
            case DONE -> body == DONE_BODY;
            case CREDIT, BYE -> body == 0;
            default -> false;
        };
    }

    /** {@return whether a frame needs a number, which the receiver has to grant} A reply needs none: its call grants it. */
    static boolean numbered(int type, int flags) {
        return type <= LONG && (flags & REPLY) == 0;
    }

    static int type(ByteBuffer frame, int at) {
        return frame.get(at + TYPE_AT) & 0xf;
    }

    static int flags(ByteBuffer frame, int at) {
        return frame.get(at + FLAGS_AT);
    }

    static int returns(ByteBuffer frame, int at) {
        return Byte.toUnsignedInt(frame.get(at + RETURNS_AT));
    }

    /** {@return how far {@code later} is ahead of {@code earlier}; negative if it is behind} Numbers are of 16 bits. */
    static int ahead(int later, int earlier) {
        return (short) (later - earlier);
    }
}
