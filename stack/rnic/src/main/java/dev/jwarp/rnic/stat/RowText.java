package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.ObservedRow;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of rows between two processes. A row is a line of UTF-8: {@code object} and fields separated by tabs, a
 * field as {@code name:number} or {@code name=text}. The first line has the version; the last line confirms that no row
 * is missing. A reader does not trust the text: control characters and invisible characters are rejected.
 */
final class RowText {
    /**
     * The first line. The number changes with a layout that older readers would misunderstand; they ignore new kinds
     * and fields.
     */
    static final String HEADER = "jwarp-stat 1";

    /** Beginning of the first line in all versions. */
    static final String HEADER_PREFIX = "jwarp-stat ";

    /** The kind of the last row. */
    static final String END = "end";

    /** Length of the longest line in bytes. */
    static final int LONGEST_LINE = 8_192;

    private static final int LONGEST_TEXT = 512;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

    private RowText() {}

    /** {@return a row as one line, including the line end} */
    static byte[] encode(ObservedRow row) {
        StringBuilder line = new StringBuilder(row.object());
        row.fields()
                .forEach((name, value) -> line.append('\t')
                        .append(name)
                        .append(value instanceof Long ? ':' : '=')
                        .append(value instanceof Long ? value : clean(value.toString())));
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String clean(String text) {
        StringBuilder clean = new StringBuilder();
        text.codePoints()
                .limit(LONGEST_TEXT)
                .forEach(character -> clean.appendCodePoint(isPrintable(character) ? character : '?'));
        return clean.toString();
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** {@return the row in a line without line end; null if the line is no row} */
    static @Nullable ObservedRow decode(ByteBuffer octets) {
        String line = text(octets);
        if (line == null) {
            return null;
        }
        String[] parts = line.split("\t", -1);
        if (!NAME.matcher(parts[0]).matches()) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            if (!decodeField(parts[i], fields)) {
                return null;
            }
        }
        return new ObservedRow(parts[0], fields);
    }

    private static boolean decodeField(String field, Map<String, Object> fields) {
        int end = 0;
        while (end < field.length() && field.charAt(end) != ':' && field.charAt(end) != '=') {
            end++;
        }
        String name = field.substring(0, end);
        if (end == field.length() || !NAME.matcher(name).matches()) {
            return false;
        }
        String value = field.substring(end + 1);
        if (field.charAt(end) == '=') {
            fields.put(name, value);
            return value.codePoints().allMatch(RowText::isPrintable);
        }
        try {
            fields.put(name, Long.valueOf(value));
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** {@return bytes as text; null if they are not UTF-8} */
    static @Nullable String text(ByteBuffer octets) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(octets).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
