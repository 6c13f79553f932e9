package dev.jwarp.tools.udping;

import java.nio.ByteBuffer;

/** The bytes of a ping: its number in 8 bytes, then printable characters from {@code A} to {@code z} round and round. */
final class PingData {
    private static final int FIRST = 'A';
    private static final int CHARACTERS = 'z' - 'A' + 1;

    private PingData() {}

    static void write(long ping, ByteBuffer to, int at, int length) {
        for (int i = 0; i < length; i++) {
            to.put(at + i, octet(ping, i));
        }
    }

    /** {@return the number at the beginning} */
    static long number(ByteBuffer from, int at) {
        return from.getLong(at);
    }

    static boolean is(long ping, ByteBuffer what, int at, int length) {
        for (int i = 0; i < length; i++) {
            if (what.get(at + i) != octet(ping, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte octet(long ping, int place) {
        return place < Long.BYTES
                ? (byte) (ping >>> (8 * (Long.BYTES - 1 - place)))
                : (byte) (FIRST + (ping + place) % CHARACTERS);
    }
}
