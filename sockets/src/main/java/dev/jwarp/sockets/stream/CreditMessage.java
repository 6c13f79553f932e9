package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of the messages of a credit stream: a header of 8 octets, followed by data or a body.
 *
 * <pre>
 *   0: kind (1) | 1: flags (1) | 2: returned credits, modulo 65,536 (2) | 4: octets after the header (4)
 * </pre>
 */
final class CreditMessage {
    /** Octets of a header. */
    static final int HEADER = 8;

    static final int DATA = 1;
    static final int GRANT = 2;
    static final int FIN = 3;
    static final int FIN_ACK = 4;
    /** The receiver has memory to be written to. */
    static final int ASK = 5;
    /** The sender has memory to be read from. */
    static final int OFFER = 6;
    /** The sender has written all or a part of the requested bytes. */
    static final int WRITTEN = 7;
    /** The receiver has read all of the offer. */
    static final int TAKEN = 8;

    /** Flag of a FIN: its sender also reads no more. */
    static final int CLOSED = 1;
    /**
     * Flag of messages with bytes, with {@link CreditEngine.Options#messages}: a message of the program ends with the
     * bytes.
     */
    static final int LAST = 2;

    /** Octets of the body of WRITTEN and TAKEN. */
    static final int MOVED_BODY = 12;

    private static final int FLAGS_OFFSET = 1;
    private static final int GRANT_OFFSET = 2;
    private static final int LENGTH_OFFSET = 4;

    private CreditMessage() {}

    /** Writes a header at {@code at}. */
    static void head(ByteBuffer to, int at, int kind, int flags, int grant, int length) {
        to.put(at, (byte) kind)
                .put(at + FLAGS_OFFSET, (byte) flags)
                .putShort(at + GRANT_OFFSET, (short) grant)
                .putInt(at + LENGTH_OFFSET, length);
    }

    static int kind(ByteBuffer from, int at) {
        return from.get(at) & 0xFF;
    }

    static int flags(ByteBuffer from, int at) {
        return from.get(at + FLAGS_OFFSET) & 0xFF;
    }

    static int grant(ByteBuffer from, int at) {
        return from.getShort(at + GRANT_OFFSET) & 0xFFFF;
    }

    /**
     * {@return the fault of a message; null if it is valid}
     *
     * @param from has the message at {@code at}
     * @param came received bytes of the message
     * @param direct whether the ends have agreed on zero-copy data
     * @param messages whether each write is a message
     */
    static @Nullable StreamException fault(ByteBuffer from, int at, int came, boolean direct, boolean messages) {
        if (came < HEADER) {
            return new StreamException(PeerFault.MESSAGE_LENGTH, came + " bytes, and a header has " + HEADER);
        }
        int told = from.getInt(at + LENGTH_OFFSET);
        if (told != came - HEADER) {
            return new StreamException(
                    PeerFault.MESSAGE_LENGTH,
                    came + " bytes, and its header says " + HEADER + " and " + Integer.toUnsignedString(told));
        }
        int kind = kind(from, at);
        int flags = flags(from, at);
        if (kind < DATA || kind > (direct ? TAKEN : FIN_ACK) || (flags != 0 && flags != flag(kind, messages))) {
            return new StreamException(
                    PeerFault.MESSAGE_UNKNOWN, "kind " + kind + ", flags 0x" + Integer.toHexString(flags));
        }
        if (kind == DATA ? told == 0 : told != body(kind)) {
            return new StreamException(PeerFault.MESSAGE_LENGTH, told + " bytes of data in kind " + kind);
        }
        return null;
    }

    /** {@return the flag that a kind of message may have} */
    private static int flag(int kind, boolean messages) {
        return switch (kind) {
            case FIN -> CLOSED;
            case DATA, OFFER, WRITTEN -> messages ? LAST : 0;
            default -> 0;
        };
    }

    /** {@return octets after the header of a kind other than DATA} */
    private static int body(int kind) {
        if (kind <= FIN_ACK) {
            return 0;
        }
        return kind <= OFFER ? DirectMemory.BODY : MOVED_BODY;
    }
}
