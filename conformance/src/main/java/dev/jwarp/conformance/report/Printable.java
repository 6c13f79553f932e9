package dev.jwarp.conformance.report;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Makes text of the device safe for a terminal: characters that move the cursor, change colours or begin another line are shown as digits.
 */
final class Printable {
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1F\\x7F-\\x9F]");

    private Printable() {}

    /** One line, with a backslash, an x and two digits for each control character. */
    static String line(String text) {
        return CONTROL.matcher(text)
                .replaceAll(m ->
                        String.format(Locale.ROOT, "\\\\x%02X", (int) m.group().charAt(0)));
    }
}
