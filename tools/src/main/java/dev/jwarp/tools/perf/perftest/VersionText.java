package dev.jwarp.tools.perf.perftest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first message: the version of perftest as text.
 *
 * <pre>
 *   0: digits and points, then NUL up to the end (16)
 * </pre>
 *
 * perftest's package 4.5 sends {@code 6.06}.
 */
final class VersionText {
    static final int LENGTH = 16;
    /** The version that jwarp sends, whose exchange it implements. */
    static final String OURS = "6.06";
    /**
     * The oldest supported version, in hundredths. Older versions have another exchange: perftest itself refuses them.
     */
    private static final int OLDEST = 570;
    /** The first version with a newer exchange, which refuses older versions. */
    private static final int TOO_NEW = 628;

    private static final Pattern SHAPE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})[0-9A-Za-z.+~-]*");

    private VersionText() {}

    /** Writes it from index 0 on. */
    static void write(ByteBuffer target, String version) {
        byte[] text = version.getBytes(StandardCharsets.US_ASCII);
        if (text.length >= LENGTH) {
            throw new IllegalArgumentException("a version has less than " + LENGTH + " bytes: " + version);
        }
        target.put(0, new byte[LENGTH]).put(0, text);
    }

    /** {@return the fault of the message, for the user; null if it can be read and its version is supported} */
    static @Nullable String fault(ByteBuffer message, int length) {
        if (length != LENGTH) {
            return "a version has " + LENGTH + " bytes, this message has " + length;
        }
        String text = text(message);
        Matcher version = SHAPE.matcher(text);
        if (!version.matches()) {
            return "the text is not a version of perftest";
        }
        // Compared as a decimal fraction, as in perftest: 5.7 is 5.70, and 5.8 is newer.
        int hundredths =
                Integer.parseInt(version.group(1)) * 100 + Integer.parseInt((version.group(2) + "0").substring(0, 2));
        if (hundredths < OLDEST || hundredths >= TOO_NEW) {
            return "perftest " + text + " has another exchange; supported are versions 5.70 to 6.27";
        }
        return null;
    }

    /** {@return the version} The message must have no {@link #fault}. */
    static String read(ByteBuffer message) {
        return text(message);
    }

    private static String text(ByteBuffer message) {
        byte[] octets = new byte[LENGTH];
        message.get(0, octets);
        int end = 0;
        while (end < LENGTH && octets[end] != 0) {
            end++;
        }
        return new String(octets, 0, end, StandardCharsets.ISO_8859_1);
    }
}
