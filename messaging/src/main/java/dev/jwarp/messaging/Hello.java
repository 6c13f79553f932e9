package dev.jwarp.messaging;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends of a conversation tell each other in private data: of MPA (RFC 5044 §7.1) over RC, of RESOLVE and
 * RESOLVED over UD and RD. See "Wire format" in docs/messaging.md.
 *
 * @param service service id of the sender
 * @param wanted service id that is asked for; in an answer that of the asker
 * @param window frames that the sender of this hello takes before it grants more, 1 to 16,384
 * @param session number that frames to the sender of this hello show
 * @param maxShort longest short message that the sender takes, in bytes
 * @param queuePairNumber of the sender; 0 over RC
 * @param key Q_Key of the sender; 0 over RC
 * @param port UDP port of the sender; 0 over RC
 */
record Hello(int service, int wanted, int window, int session, int maxShort, int queuePairNumber, int key, int port) {
    static final int VERSION = 1;
    /** Reasons of a refusal: the last byte of its two bytes of private data. */
    static final int NOT_HOSTED = 1;

    static final int NO_ROOM = 2;
    static final int OTHER_VERSION = 3;

    private static final int LENGTH = 28;

    byte[] encoded() {
        return ByteBuffer.allocate(LENGTH)
                .put((byte) VERSION)
                .put((byte) 0)
                .putShort((short) service)
                .putShort((short) wanted)
                .putShort((short) window)
                .putInt(session)
                .putInt(maxShort)
                .putInt(queuePairNumber)
                .putInt(key)
                .putShort((short) port)
                .putShort((short) 0)
                .array();
    }

    /** {@return the hello; null if the bytes are none of this version} */
    static @Nullable Hello decode(byte[] from) {
        if (from.length < LENGTH || from[0] != VERSION) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(from, 2, LENGTH - 2);
        Hello read = new Hello(
                Short.toUnsignedInt(in.getShort()),
                Short.toUnsignedInt(in.getShort()),
                Short.toUnsignedInt(in.getShort()),
                in.getInt(),
                in.getInt(),
                in.getInt(),
                in.getInt(),
                Short.toUnsignedInt(in.getShort()));
        boolean legal = read.service != 0
                && read.wanted != 0
                && read.window >= 1
                && read.window <= Peer.MOST_WINDOW
                && read.maxShort >= 0;
        return legal ? read : null;
    }

    static byte[] refusal(int reason) {
        return new byte[] {VERSION, (byte) reason};
    }

    /** {@return the sentence of a refusal} */
    static String sentence(int service, byte[] refusal) {
        int reason = refusal.length == 2 ? refusal[1] : 0;
        return switch (reason) {
            case NOT_HOSTED -> "Service " + service + " is not hosted where the directory says it is.";
            case NO_ROOM -> "Service " + service + " has no room for another peer: raise its number of receives.";
            case OTHER_VERSION -> "Service " + service + " speaks another version of jwarp's messages.";
            default -> "Service " + service + " refused.";
        };
    }
}
