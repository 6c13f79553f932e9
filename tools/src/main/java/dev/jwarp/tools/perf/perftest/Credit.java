package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the receiver of ib_send_bw writes into the sender's memory: how many messages have arrived, counted modulo 2^32. A
 * Send that meets no receive ends an iWARP stream, so the sender may never have more on the way than receives are posted.
 *
 * <pre>
 *   0: messages, in the byte order of the machine that writes, which is taken to be little endian (4)
 * </pre>
 */
final class Credit {
    static final int LENGTH = 4;

    private Credit() {}

    /** Writes it from that index on. */
    static void write(ByteBuffer target, int at, long messages) {
        int count = (int) messages;
        target.putInt(at, target.order() == ByteOrder.LITTLE_ENDIAN ? count : Integer.reverseBytes(count));
    }

    /**
     * {@return how many of the messages sent are not known to have arrived: all of them where the credit tells of more than
     * were sent, for then it is one of an earlier size that came late}
     */
    static long outstanding(ByteBuffer source, long sent) {
        int count = source.getInt(0);
        int arrived = source.order() == ByteOrder.LITTLE_ENDIAN ? count : Integer.reverseBytes(count);
        return Math.min(sent, Integer.toUnsignedLong((int) sent - arrived));
    }

    /** {@return the last number of messages, of so many, that the receiver tells of; 0 if it tells of none} */
    static long last(long messages, int receives) {
        long told = messages;
        while (told > 0 && !due(told, receives)) {
            told--;
        }
        return told;
    }

    /** {@return after how many messages each the receiver tells; at both ends for the same depth of receives} */
    static int every(int receives) {
        return Math.max(1, receives / 3);
    }

    /** {@return whether it tells behind this message; perftest begins to count anew with each round of its receives} */
    static boolean due(long messages, int receives) {
        return messages % receives % every(receives) == 0;
    }
}
