package dev.jwarp.conformance.report;

import java.util.Locale;
import java.util.regex.Pattern;

/** Text with words of the device in it, for a terminal: what would move its cursor, change its colours or begin another line is shown as digits. */
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
