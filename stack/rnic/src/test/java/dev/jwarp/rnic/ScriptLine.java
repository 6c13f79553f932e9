package dev.jwarp.rnic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line of a packet script: when, who, and words, some of them {@code key=value}. Values are numbers, text in quotes,
 * octets in hexadecimal, or names of memory regions with an offset.
 */
final class ScriptLine {
    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]+=)?\"[^\"]*\"|\\S+");
    private static final Pattern TIME = Pattern.compile("\\+(\\d+)(s|ms|us|ns)?");
    private static final Pattern NAMED = Pattern.compile("([a-z]\\w*)(?:([+-])(\\d+))?");

    /** Resolves names. */
    interface Names {
        /** {@return the STag or the address of a region, by the key it is the value of; null if there is no such name} */
        @Nullable
        Long find(String name, String key);
    }

    final String file;
    final int number;
    final String text;
    final long afterNanos;
    private final List<String> words = new ArrayList<>();
    private final Map<String, String> values = new HashMap<>();

    ScriptLine(String file, int number, String text) {
        this.file = file;
        this.number = number;
        this.text = text;
        long after = 0;
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            String word = matcher.group();
            Matcher time = TIME.matcher(word);
            int equals = word.indexOf('=');
            if (words.isEmpty() && time.matches()) {
                after = Long.parseLong(time.group(1)) * unit(time.group(2));
            } else if (equals > 0) {
                values.put(word.substring(0, equals), word.substring(equals + 1));
            } else {
                words.add(word);
            }
        }
        afterNanos = after;
    }

    private static long unit(@Nullable String name) {
        return switch (name == null ? "ns" : name) {
            case "s" -> 1_000_000_000L;
            case "ms" -> 1_000_000L;
            case "us" -> 1_000L;
            default -> 1L;
        };
    }

    /** {@return word {@code index}, not counting the time and the values} */
    String word(int index) {
        if (index >= words.size()) {
            throw failure("a word is missing at the end");
        }
        return words.get(index);
    }

    int words() {
        return words.size();
    }

    boolean has(String word) {
        return words.contains(word);
    }

    Map<String, String> values() {
        return values;
    }

    @Nullable
    String value(String key) {
        return values.get(key);
    }

    String value(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    long number(String key, Names names) {
        String value = values.get(key);
        if (value == null) {
            throw failure(key + "= is missing");
        }
        return number(key, value, names);
    }

    long number(String key, long otherwise, Names names) {
        String value = values.get(key);
        return value == null ? otherwise : number(key, value, names);
    }

    private long number(String key, String value, Names names) {
        try {
            return value.startsWith("0x") ? Long.parseUnsignedLong(value.substring(2), 16) : Long.parseLong(value);
        } catch (NumberFormatException e) {
            Matcher named = NAMED.matcher(value);
            Long base = named.matches() ? names.find(named.group(1), key) : null;
            if (base == null) {
                throw failure(key + "=" + value + " is no number and no region");
            }
            long offset = named.group(3) == null ? 0 : Long.parseLong(named.group(3));
            return "-".equals(named.group(2)) ? base - offset : base + offset;
        }
    }

    /** {@return the octets of {@code data=}, or {@code len=} octets that count up} */
    byte[] octets(Names names) {
        String data = values.get("data");
        if (data == null) {
            byte[] counted = new byte[(int) number("len", 0, names)];
            for (int i = 0; i < counted.length; i++) {
                counted[i] = (byte) i;
            }
            return counted;
        }
        return octets(data);
    }

    static byte[] octets(String data) {
        return data.startsWith("\"")
                ? data.substring(1, data.length() - 1).getBytes(StandardCharsets.US_ASCII)
                : HexFormat.of().parseHex(data.substring(2));
    }

    /** {@return octets as scripts write them} */
    static String text(byte[] octets) {
        for (byte octet : octets) {
            if (octet < 0x20 || octet > 0x7e || octet == '"') {
                return "0x" + HexFormat.of().formatHex(octets);
            }
        }
        return "\"" + new String(octets, StandardCharsets.US_ASCII) + "\"";
    }

    AssertionError failure(String sentence) {
        return new AssertionError(file + ":" + number + ": " + sentence + "\n    " + text);
    }

    /** {@return a failure with the expected and the actual value} */
    AssertionError failure(String field, String expected, String actual, long nanos, byte[] octets) {
        return failure(String.format(
                Locale.ROOT,
                "%s: expected %s, actual %s, at t=%.6f s%s",
                field,
                expected,
                actual,
                nanos / 1e9,
                octets.length == 0 ? "" : "; bytes " + HexFormat.of().formatHex(octets)));
    }
}
