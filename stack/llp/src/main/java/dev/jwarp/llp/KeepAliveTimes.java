package dev.jwarp.llp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keep-alive probes of an idle connection, which ends without an answer ({@link LlpEnd#TIMED_OUT}). An operating system
 * that cannot set these times per connection uses its own.
 *
 * @param on false: no probes
 * @param idleSeconds seconds without received bytes before the first probe
 * @param intervalSeconds seconds between two probes
 * @param probes number of unanswered probes after which the connection ends
 */
public record KeepAliveTimes(boolean on, int idleSeconds, int intervalSeconds, int probes) {
    /** No probes. */
    public static final KeepAliveTimes OFF = new KeepAliveTimes(false, 1, 1, 1);

    /** The maximum of Linux for the two times. */
    public static final int MOST_SECONDS = 32_767;

    /** The maximum of Linux. */
    public static final int MOST_PROBES = 127;

    /**
     * {@return the times of a text: {@code off}, {@code on} for 60 s, 10 s and 6 probes, or three such numbers with
     * commas; null if the text is invalid}
     */
    public static @Nullable KeepAliveTimes parse(String text) {
        if (text.equals("off")) {
            return OFF;
        }
        String[] numbers = (text.equals("on") ? "60,10,6" : text).split(",", -1);
        try {
            int[] values = Arrays.stream(numbers)
                    .mapToInt(number -> Integer.parseInt(number.strip()))
                    .toArray();
            return values.length == 3 ? new KeepAliveTimes(true, values[0], values[1], values[2]) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Checks the values. */
    public KeepAliveTimes {
        check("seconds", idleSeconds, MOST_SECONDS);
        check("seconds", intervalSeconds, MOST_SECONDS);
        check("probes", probes, MOST_PROBES);
    }

    private static void check(String what, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("a keep-alive has 1 to " + most + " " + what + ", not " + value);
        }
    }
}
