package dev.jwarp.tools.conform;

import java.nio.ByteBuffer;

/**
 * A command of a tester: docs/conformance/target.md.
 *
 * @param number of the command
 * @param tag copied into the answer
 * @param a first operand
 * @param b second operand
 * @param c third operand
 * @param d fourth operand
 * @param data the data of the command
 */
record Order(int number, int tag, int a, int b, long c, long d, byte[] data) {
    static final int HELLO = 1;
    static final int ECHO = 2;
    static final int SENDS = 3;
    static final int WRITES = 4;
    static final int READS = 5;
    static final int PEEK = 6;
    static final int RECEIVES = 7;
    static final int DEREGISTER = 8;
    static final int REVOCABLE = 9;
    static final int CLOSE = 10;
    static final int END = 11;
    static final int CONFIGURE = 12;
    static final int ATOMIC = 13;

    /** Bytes of a command and of an answer without data. */
    static final int HEADER = 32;

    /** Most bytes of memory in an answer. */
    static final int MOST_SHOWN = 2048;

    private static final int MOST_MESSAGES = 100_000;
    private static final long MOST_OCTETS = 1 << 26;
    private static final int MAGIC = 0x4A435431;
    private static final int ANSWER = 0x4A435231;

    /** The result of an order. */
    enum Status {
        DONE(0),
        UNABLE(1),
        FAILED(2);

        private final int number;

        Status(int number) {
            this.number = number;
        }
    }

    /** {@return the order in a message} A message that is not a command becomes number 0, which cannot be executed. */
    static Order parse(ByteBuffer message) {
        if (message.remaining() < HEADER || message.getInt(message.position()) != MAGIC) {
            return new Order(0, 0, 0, 0, 0, 0, new byte[0]);
        }
        ByteBuffer m = message.duplicate();
        m.getInt();
        int number = m.getShort() & 0xFFFF;
        int tag = m.getShort() & 0xFFFF;
        int a = m.getInt();
        int b = m.getInt();
        long c = m.getLong();
        long d = m.getLong();
        byte[] data = new byte[m.remaining()];
        m.get(data);
        return new Order(number, tag, a, b, c, d, data);
    }

    /** {@return whether the order is within limits, so that no peer can harm the target} */
    boolean withinReason() {
        return switch (number) {
            case SENDS, WRITES, READS ->
                a >= 0 && b >= 0 && b <= MOST_MESSAGES && (long) a * b <= MOST_OCTETS && (number != READS || b > 0);
            case PEEK ->
                a >= 0 && c >= 0 && c <= (d == 0 ? TargetMemory.ALL : TargetMemory.KEPT) - Math.min(a, MOST_SHOWN);
            case CLOSE -> a >= 0 && a <= MOST_MESSAGES;
            case ATOMIC -> b >= 0 && b <= MOST_MESSAGES;
            default -> true;
        };
    }

    /** {@return the bytes of the answer} */
    byte[] answer(Status status, int reason, long value, byte... more) {
        return ByteBuffer.allocate(HEADER + more.length)
                .putInt(ANSWER)
                .putShort((short) number)
                .putShort((short) tag)
                .putInt(status.number)
                .putInt(reason)
                .putLong(value)
                .putLong(0)
                .put(more)
                .array();
    }

    /** {@return a byte of the pattern in Sends and Writes} */
    static byte patternAt(int k, int seed) {
        return (byte) (seed * 31 + k * 7 + (k >>> 8) * 13 + 1);
    }
}
