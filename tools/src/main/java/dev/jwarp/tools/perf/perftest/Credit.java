package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The number of arrived messages modulo 2^32, which the receiver of ib_send_bw writes into the sender's memory. A Send
 * without a receive ends an iWARP stream, so the sender may have no more messages in flight than receives are posted.
 *
 * <pre>
 *   0: messages, in the byte order of the writing machine, which is assumed to be little-endian (4)
 * </pre>
 */
final class Credit {
    static final int LENGTH = 4;

    private Credit() {}

    /** Writes the credit at that index. */
    static void write(ByteBuffer target, int at, long messages) {
        int count = (int) messages;
        target.putInt(at, target.order() == ByteOrder.LITTLE_ENDIAN ? count : Integer.reverseBytes(count));
    }

    /**
     * {@return the number of sent messages without a credit; all of them if the credit is for more messages than were
     * sent, because it is then a late one of an earlier size}
     */
    static long outstanding(ByteBuffer source, long sent) {
        int count = source.getInt(0);
        int arrived = source.order() == ByteOrder.LITTLE_ENDIAN ? count : Integer.reverseBytes(count);
        return Math.min(sent, Integer.toUnsignedLong((int) sent - arrived));
    }

    /** {@return the number of messages in the last credit of a run with so many messages; 0 if there is no credit} */
    static long last(long messages, int receives) {
        long told = messages;
        while (told > 0 && !due(told, receives)) {
            told--;
        }
        return told;
    }

    /** {@return messages per credit} Both ends must have the same depth of receives. */
    static int every(int receives) {
        return Math.max(1, receives / 3);
    }

    /** {@return whether a credit follows this message} perftest restarts the count with each round of its receives. */
    static boolean due(long messages, int receives) {
        return messages % receives % every(receives) == 0;
    }
}
