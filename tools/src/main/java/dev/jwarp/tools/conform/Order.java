package dev.jwarp.tools.conform;

import java.nio.ByteBuffer;

/**
 * A command of a tester: docs/conformance/target.md.
 *
 * @param number what to do
 * @param tag copied into the answer
 * @param a first operand
 * @param b second operand
 * @param c third operand
 * @param d fourth operand
 * @param data what follows
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

    /** Bytes of memory that an answer shows at most. */
    static final int MOST_SHOWN = 2048;

    private static final int MOST_MESSAGES = 100_000;
    private static final long MOST_OCTETS = 1 << 26;
    private static final int MAGIC = 0x4A435431;
    private static final int ANSWER = 0x4A435231;

    /** How an order was carried out. */
    enum Status {
        DONE(0),
        UNABLE(1),
        FAILED(2);

        private final int number;

        Status(int number) {
            this.number = number;
        }
    }

    /** Reads a message; what is no command comes out as number 0, which cannot be carried out. */
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

    /** Whether it can be carried out without harm to the target: the peer may have a fault, or may be no tester. */
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

    /** The answer's bytes. */
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

    /** One byte of the pattern that Sends and Writes carry. */
    static byte patternAt(int k, int seed) {
        return (byte) (seed * 31 + k * 7 + (k >>> 8) * 13 + 1);
    }
}
