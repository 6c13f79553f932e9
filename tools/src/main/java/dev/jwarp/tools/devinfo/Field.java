package dev.jwarp.tools.devinfo;

import java.util.List;

/**
 * One line of ibv_devinfo. Text and JSON are both made from it, so they cannot differ.
 *
 * @param name the name in ibv_devinfo
 * @param text the value in the format of ibv_devinfo; empty if the line is only the head of the {@code below} lines
 * @param value the value for JSON
 * @param below names in lines of their own, far to the right
 */
record Field(String name, String text, Object value, List<String> below) {
    private static final int TAB = 8;

    /** A value of an enumeration: its name and its number. */
    record Named(String name, int value) {}

    static Field of(String name, String text) {
        return new Field(name, text, text, List.of());
    }

    static Field number(String name, long value) {
        return new Field(name, Long.toString(value), value, List.of());
    }

    static Field hex(String name, String format, long value) {
        return new Field(name, String.format(format, value), value, List.of());
    }

    static Field enumerated(String name, String word, int number) {
        return new Field(name, word + " (" + number + ")", new Named(word, number), List.of());
    }

    static Field flags(String name, int bits, List<String> names) {
        return new Field(name, String.format("0x%08x", bits), new Flags(bits, names), names);
    }

    /** A word of flags, with the names of its set bits. */
    record Flags(int value, List<String> names) {}

    /** {@return the line: indented by tabs, then the name, then tabs up to the column of the values} */
    String line(int indent, int column) {
        StringBuilder line = new StringBuilder("\t".repeat(indent)).append(name).append(':');
        int at = indent * TAB + name.length() + 1;
        do {
            line.append('\t');
            at = (at / TAB + 1) * TAB;
        } while (at < column);
        return line.append(text).toString();
    }
}
