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
     * @param flag the option that the seconds belong to
     * @throws ToolFailure if the seconds are negative, too large or not a number
     */
    public static Duration seconds(String flag, double seconds) {
        if (!(seconds >= 0 && seconds <= LONGEST)) {
            throw ToolFailure.usage(flag + " takes seconds from 0 on, such as 2 or 0.5, not " + seconds);
        }
        return Duration.ofNanos((long) (seconds * NANOS));
    }

    /** {@return the duration as the user would write it, with its unit: {@code 30 s}, {@code 0.5 s}} */
    public static String text(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    /** {@return the limit of {@code --timeout}: {@code otherwise} without the option, {@code forever} for 0} */
    public static Duration limit(@Nullable Double seconds, Duration otherwise, Duration forever) {
        if (seconds == null) {
            return otherwise;
        }
        Duration limit = seconds("--timeout", seconds);
        return limit.isZero() ? forever : limit;
    }
}
