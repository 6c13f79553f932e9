package dev.jwarp.tools.cli;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A number of seconds given by the user. */
public final class Timeout {
    private static final double NANOS = 1e9;
    private static final double LONGEST = 1e9;

    private Timeout() {}

    /**
     * {@return the seconds as a duration}
     *
     * @param flag that they were given with
     * @throws ToolFailure if they are negative or not a number
     */
    public static Duration seconds(String flag, double seconds) {
        if (!(seconds >= 0 && seconds <= LONGEST)) {
            throw ToolFailure.usage(flag + " wants seconds from 0 on, such as 2 or 0.5; it got " + seconds);
        }
        return Duration.ofNanos((long) (seconds * NANOS));
    }

    /** {@return the duration as the user would write it, with its unit: {@code 30 s}, {@code 0.5 s}} */
    public static String text(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    /** {@return the limit given, {@code otherwise} if none was given, {@code forever} if 0 was given} */
    public static Duration limit(@Nullable Double seconds, Duration otherwise, Duration forever) {
        if (seconds == null) {
            return otherwise;
        }
        Duration limit = seconds("--timeout", seconds);
        return limit.isZero() ? forever : limit;
    }
}
