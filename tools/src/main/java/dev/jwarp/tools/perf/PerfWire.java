package dev.jwarp.tools.perf;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Common parts of the messages of the exchange. All numbers are big-endian. */
final class PerfWire {
    /** Bytes of a text, padded with zeros. */
    static final int TEXT = 32;

    private static final int MAGIC = 0x6a77_7066; // "jwpf"
    private static final short VERSION = 1;

    private PerfWire() {}

    /** Writes the four letters and the version: 6 bytes. */
    static void start(ByteBuffer out) {
        out.putInt(MAGIC).putShort(VERSION);
    }

    /** Reads and checks letters and version. */
    static void check(ByteBuffer in) {
        if (in.getInt() != MAGIC) {
            throw new IllegalArgumentException("the message does not begin with \"jwpf\"");
        }
        short version = in.getShort();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "the message has version " + version + " of the exchange, not " + VERSION);
        }
    }

    static void text(ByteBuffer out, String text) {
        byte[] octets = new byte[TEXT];
        byte[] ascii = text.getBytes(US_ASCII);
        System.arraycopy(ascii, 0, octets, 0, Math.min(ascii.length, TEXT));
        out.put(octets);
    }

    static String text(ByteBuffer in) {
        byte[] octets = new byte[TEXT];
        in.get(octets);
        return printable(octets);
    }

    /** {@return the text up to the first zero; a byte that is not printable ASCII becomes a question mark} */
    static String printable(byte[] octets) {
        StringBuilder text = new StringBuilder();
        for (byte octet : octets) {
            if (octet == 0) {
                break;
            }
            text.append(octet >= 0x20 && octet < 0x7f ? (char) octet : '?');
        }
        return text.toString();
    }

    /** {@return the number of a value: its place in the list} */
    static <T> byte code(T[] all, T value) {
        return (byte) Arrays.asList(all).indexOf(value);
    }

    static <T> T one(T[] all, byte index, String what) {
        if (index < 0 || index >= all.length) {
            throw new IllegalArgumentException("unknown " + what + " " + index);
        }
        return all[index];
    }

    static int in(String what, int value, int least, int most) {
        return (int) in(what, (long) value, least, most);
    }

    static long in(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is out of range: " + least + " to " + most);
        }
        return value;
    }
}
