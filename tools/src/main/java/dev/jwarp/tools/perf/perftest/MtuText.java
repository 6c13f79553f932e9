package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The fourth message: the number that verbs have for the MTU, as text.
 *
 * <pre>
 *   0: a digit, 1 for 256 bytes to 5 for 4096 (1) | 1: NUL (1)
 * </pre>
 *
 * It matters to InfiniBand only. perftest takes any text, and its own value where that makes no sense.
 */
final class MtuText {
    static final int LENGTH = 2;
    private static final int LARGEST = 5;

    private MtuText() {}

    /** Writes a number, 1 to 5, from index 0 on. */
    static void write(ByteBuffer target, int number) {
        if (number < 1 || number > LARGEST) {
            throw new IllegalArgumentException("no MTU of verbs has the number " + number);
        }
        target.put(0, (byte) ('0' + number)).put(1, (byte) 0);
    }

    /** {@return what is wrong with the message, for the user; null if it can be read} */
    static @Nullable String fault(ByteBuffer message, int length) {
        if (length != LENGTH) {
            return "an MTU has " + LENGTH + " bytes, this message has " + length;
        }
        return message.get(0) < '0' || message.get(0) > '9' ? "it is no number of an MTU" : null;
    }

    /** {@return the number; the message has no {@link #fault}} */
    static int read(ByteBuffer message) {
        return message.get(0) - '0';
    }
}
