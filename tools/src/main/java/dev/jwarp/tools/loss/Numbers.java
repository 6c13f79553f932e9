package dev.jwarp.tools.loss;

import java.nio.ByteBuffer;

/** The number of a message, in as many of its first bytes as it has, up to 4. */
final class Numbers {
    private static final int MOST = 4;

    private Numbers() {}

    static void write(ByteBuffer into, int offset, int size, int message) {
        for (int i = 0; i < Math.min(MOST, size); i++) {
            into.put(offset + i, (byte) (message >>> (8 * i)));
        }
    }

    /** {@return the number, as far as the bytes hold it: modulo {@link #modulus}} */
    static long read(ByteBuffer from, int offset, int size) {
        long number = 0;
        for (int i = 0; i < Math.min(MOST, size); i++) {
            number |= (from.get(offset + i) & 0xffL) << (8 * i);
        }
        return number;
    }

    static long modulus(int size) {
        return 1L << (8 * Math.min(MOST, size));
    }
}
