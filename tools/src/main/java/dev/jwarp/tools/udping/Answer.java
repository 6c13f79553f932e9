package dev.jwarp.tools.udping;

import java.nio.ByteBuffer;

/**
 * What the server answers to a Write-Record: where it went and how much of it came, 12 bytes, big-endian. A
 * Send of so many is no longer on the wire than a Write-Record of {@link UdpingSettings#LEAST}.
 */
final class Answer {
    static final int LENGTH = 12;

    private static final int ADDRESS = 0;
    private static final int VALID = 8;

    private Answer() {}

    static void write(ByteBuffer to, int at, long address, long validBytes) {
        to.putLong(at + ADDRESS, address).putInt(at + VALID, (int) validBytes);
    }

    static long address(ByteBuffer from, int at) {
        return from.getLong(at + ADDRESS);
    }

    static long validBytes(ByteBuffer from, int at) {
        return from.getInt(at + VALID);
    }
}
