package dev.jwarp.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/** Builds bytes, big-endian like every field of iWARP except the CRC. */
public final class Octets {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A builder without bytes. */
    public Octets() {}

    public Octets u8(int value) {
        out.write(value);
        return this;
    }

    public Octets u16(int value) {
        return u8(value >>> 8).u8(value);
    }

    public Octets u32(long value) {
        return u16((int) (value >>> 16)).u16((int) value);
    }

    public Octets u64(long value) {
        return u32(value >>> 32).u32(value);
    }

    public Octets add(byte... octets) {
        out.writeBytes(octets);
        return this;
    }

    public Octets zeros(int count) {
        return add(new byte[count]);
    }

    /** Removes all bytes. */
    public void clear() {
        out.reset();
    }

    public int size() {
        return out.size();
    }

    public byte[] bytes() {
        return out.toByteArray();
    }

    /** The first 48 bytes in hex, for messages; an ellipsis stands for further bytes. */
    public static String start(byte[] octets) {
        return octets.length <= 48 ? hex(octets) : hex(Arrays.copyOf(octets, 48)) + " …";
    }

    /** Reads {@code count} bytes (at most 8) as one unsigned number. */
    public static long number(byte[] octets, int at, int count) {
        long value = 0;
        for (int i = 0; i < count; i++) {
            value = (value << 8) | (octets[at + i] & 0xFF);
        }
        return value;
    }

    public static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    public static String hex(byte[] octets) {
        return HexFormat.of().formatHex(octets);
    }

    /**
     * A pattern whose bytes differ from place to place, so that a misplaced byte shows; {@code seed} selects the
     * pattern.
     */
    public static byte[] pattern(int length, int seed) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = patternAt(i, seed);
        }
        return octets;
    }

    /** One byte of {@link #pattern}. */
    public static byte patternAt(int i, int seed) {
        return (byte) (seed * 31 + i * 7 + (i >>> 8) * 13 + 1);
    }
}
