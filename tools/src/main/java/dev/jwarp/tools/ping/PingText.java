package dev.jwarp.tools.ping;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a ping, as in rping of rdma-core: {@code rdma-ping-N: }, then the characters from {@code A} to {@code z}
 * repeated, starting one character later with each ping, and a NUL as the last byte.
 */
final class PingText {
    /** The shortest text that rping allows. */
    static final int MIN_SIZE = 27;
    /** The longest text that rping allows: its buffer has 64 KiB and one byte stays free. */
    static final int MAX_SIZE = 65_535;

    private static final int FIRST = 'A';
    private static final int LAST = 'z';
    private static final Pattern HEAD = Pattern.compile("rdma-ping-(\\d{1,10}): ");

    private PingText() {}

    /** Writes the text of a ping into {@code target}, from position to limit, which do not change. */
    static void write(int ping, ByteBuffer target) {
        byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        int at = target.position();
        int end = target.limit() - 1;
        for (int i = 0; i < head.length && at < end; i++) {
            target.put(at++, head[i]);
        }
        int next = FIRST + ping % (LAST - FIRST + 1);
        while (at < end) {
            target.put(at++, (byte) next);
            next = next == LAST ? FIRST : next + 1;
        }
        target.put(end, (byte) 0);
    }

    /** {@return whether all bytes are the text of a ping} */
    static boolean valid(ByteBuffer received) {
        Matcher head =
                HEAD.matcher(read(received.duplicate().limit(Math.min(received.limit(), received.position() + 24))));
        if (received.remaining() < MIN_SIZE || !head.lookingAt()) {
            return false;
        }
        long ping = Long.parseLong(head.group(1));
        if (ping > Integer.MAX_VALUE) {
            return false;
        }
        ByteBuffer expected = ByteBuffer.allocate(received.remaining());
        write((int) ping, expected);
        return expected.mismatch(received) < 0;
    }

    /** {@return the number of bytes before the first NUL, or of all bytes if there is none} */
    static int length(ByteBuffer text) {
        int at = text.position();
        while (at < text.limit() && text.get(at) != 0) {
            at++;
        }
        return at - text.position();
    }

    /** {@return the text up to its NUL, safe for a terminal: a byte that is not printable ASCII becomes a dot} */
    static String read(ByteBuffer text) {
        StringBuilder characters = new StringBuilder();
        int end = text.position() + length(text);
        for (int at = text.position(); at < end; at++) {
            byte octet = text.get(at);
            characters.append(octet >= 0x20 && octet < 0x7f ? (char) octet : '.');
        }
        return characters.toString();
    }
}
