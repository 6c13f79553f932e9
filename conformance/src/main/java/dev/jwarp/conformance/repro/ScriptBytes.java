package dev.jwarp.conformance.repro;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the bytes that the tester sends in one conversation from the words of its script, in order:
 *
 * <ul>
 *   <li>hex digits: these bytes;
 *   <li><code>{2:104:8+16}</code>: 8 bytes from the device in conversation 2, from byte 104 of its stream on, as a
 *     number, plus 16;
 *   <li><code>{port:1}</code>: the port of the end that connected in conversation 1, as a number of 8 bytes;
 *   <li>{@code [}: the start of an FPDU;
 *   <li>{@code crc}: the CRC of this FPDU; {@code crc^01000000}: the CRC with these bits inverted; {@code crc-swapped}:
 *     in reverse order.
 * </ul>
 *
 * After each of them {@code /1-3} selects a part of its bytes, here the second and third.
 */
final class ScriptBytes {
    private static final Pattern HEX = Pattern.compile("(?:[0-9A-F]{2})+");
    private static final Pattern HEARD =
            Pattern.compile("\\{(\\d{1,4}):(\\d{1,9}):([48])(?:\\+(-?\\d{1,19}))?\\}(?:/([1-8])-([1-8]))?");
    private static final Pattern PORT = Pattern.compile("\\{port:(\\d{1,4})\\}(?:/([1-8])-([1-8]))?");
    private static final Pattern CRC = Pattern.compile("crc(-swapped|\\^[0-9A-F]{8})?(?:/([1-8])-([1-8]))?");

    private final ScriptPlayer player;
    private Octets covered = new Octets();

    ScriptBytes(ScriptPlayer player) {
        this.player = player;
    }

    /** Throws an exception if the word is none of these. */
    static void check(String text) {
        for (String word : text.split(" ", -1)) {
            if (!word.equals("[")
                    && !HEX.matcher(word).matches()
                    && !HEARD.matcher(word).matches()
                    && !PORT.matcher(word).matches()
                    && !CRC.matcher(word).matches()) {
                throw new IllegalArgumentException("not bytes to send: " + word);
            }
        }
    }

    /** The bytes of one line. */
    byte[] octets(String text) {
        Octets octets = new Octets();
        for (String word : text.split(" ", -1)) {
            if (word.equals("[")) {
                covered = new Octets();
                continue;
            }
            Matcher crc = CRC.matcher(word);
            if (crc.matches()) {
                // Bytes after the CRC are not covered by it.
                octets.add(part(crc(crc.group(1)), crc.group(2), crc.group(3)));
            } else {
                byte[] piece = piece(word);
                octets.add(piece);
                covered.add(piece);
            }
        }
        return octets.bytes();
    }

    private byte[] piece(String word) {
        Matcher heard = HEARD.matcher(word);
        if (heard.matches()) {
            int size = Integer.parseInt(heard.group(3));
            byte[] there = player.heard(Integer.parseInt(heard.group(1)), Integer.parseInt(heard.group(2)), size);
            long number = Octets.number(there, 0, size) + (heard.group(4) == null ? 0 : Long.parseLong(heard.group(4)));
            return part(size == 4 ? new Octets().u32(number).bytes() : number(number), heard.group(5), heard.group(6));
        }
        Matcher port = PORT.matcher(word);
        return port.matches()
                ? part(number(player.port(Integer.parseInt(port.group(1)))), port.group(2), port.group(3))
                : Octets.hex(word);
    }

    private static byte[] number(long number) {
        return new Octets().u64(number).bytes();
    }

    private byte[] crc(String how) {
        byte[] all = covered.bytes();
        byte[] crc = Framer.crcOnTheWire(all, 0, all.length);
        if (how == null) {
            return crc;
        }
        return how.startsWith("^") ? turned(crc, Octets.hex(how.substring(1))) : swapped(crc);
    }

    static byte[] swapped(byte[] crc) {
        return new byte[] {crc[3], crc[2], crc[1], crc[0]};
    }

    static byte[] turned(byte[] one, byte[] other) {
        byte[] turned = one.clone();
        for (int i = 0; i < turned.length; i++) {
            turned[i] ^= other[i];
        }
        return turned;
    }

    private static byte[] part(byte[] whole, String from, String to) {
        return from == null ? whole : Arrays.copyOfRange(whole, Integer.parseInt(from) - 1, Integer.parseInt(to));
    }
}
