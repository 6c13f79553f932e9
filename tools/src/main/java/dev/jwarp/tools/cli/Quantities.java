package dev.jwarp.tools.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats and parses numbers with a unit, independent of the locale. */
public final class Quantities {
    private static final double MEBIBYTE = 1024.0 * 1024.0;

    private Quantities() {}

    /** {@return a duration in a suitable unit: {@code 830ns}, {@code 12.3us}, {@code 4.6ms}, {@code 1.25s}} */
    public static String duration(long nanos) {
        if (nanos < 1_000) {
            return nanos + "ns";
        } else if (nanos < 1_000_000) {
            return String.format(Locale.ROOT, "%.1fus", nanos / 1e3);
        } else if (nanos < 1_000_000_000) {
            return String.format(Locale.ROOT, "%.1fms", nanos / 1e6);
        }
        return String.format(Locale.ROOT, "%.2fs", nanos / 1e9);
    }

    /** {@return the rate in MiB/s; null if no time was measured} */
    public static @Nullable Double mebibytesPerSecond(long bytes, long nanos) {
        return nanos <= 0 ? null : bytes / MEBIBYTE / (nanos / 1e9);
    }

    /** {@return a number with one decimal place; {@code -} for null, infinity and NaN} */
    public static String oneDigit(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
    }

    /**
     * Reads a number of bytes: {@code 4096}, {@code 64K}, {@code 64KiB}, {@code 1M}, {@code 2GiB}; K, M and G are powers
     * of 1024.
     *
     * @throws NumberFormatException with a sentence for the user
     */
    public static long bytes(String text) {
        String digits = text.strip().toUpperCase(Locale.ROOT);
        if (digits.endsWith("IB")) {
            digits = digits.substring(0, digits.length() - 2);
        }
        int shift = 0;
        if (!digits.isEmpty()) {
            shift = 10 * ("KMGT".indexOf(digits.charAt(digits.length() - 1)) + 1);
        }
        if (shift > 0) {
            digits = digits.substring(0, digits.length() - 1);
        }
        try {
            long value = Long.parseLong(digits);
            if (value >= 0 && value <= Long.MAX_VALUE >> shift) {
                return value << shift;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new NumberFormatException("'" + text + "' is not a number of bytes; write it as 4096, 64K or 1M");
    }

    /**
     * {@return the number of bytes of a flag, parsed as by {@link #bytes(String)}}
     *
     * @throws ToolFailure if the text is not a number of bytes
     */
    public static long bytes(String flag, String text) {
        try {
            return bytes(text);
        } catch (NumberFormatException e) {
            throw ToolFailure.usage(flag + ": " + e.getMessage());
        }
    }
}
