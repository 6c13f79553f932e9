package dev.jwarp.torture;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * The seed of a run, {@code -Dtorture.seed=N} or a new one each time, and its duration, {@code -Dtorture.seconds=N}. A
 * run that fails prints its seed.
 */
public final class Choices {
    private static final Long ONE = Long.getLong("torture.seed");
    private static final Integer SECONDS = Integer.getInteger("torture.seconds");

    private Choices() {}

    /** {@return the duration of a run: half a second by default} */
    public static Duration duration() {
        return SECONDS == null ? Duration.ofMillis(500) : Duration.ofSeconds(SECONDS);
    }

    /** {@return whether only the given seed is to run} */
    public static boolean one() {
        return ONE != null;
    }

    /** Runs {@code play} with a seed; a failure has a message with the command for that seed. */
    public static void seeded(Class<?> test, LongConsumer play) {
        long seed = ONE == null ? new SplittableRandom().nextLong(Long.MAX_VALUE) : ONE;
        try {
            play.accept(seed);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "Seed " + seed + " failed. Run it again: -Dtest=" + test.getSimpleName() + " -Dtorture.seed=" + seed
                            + "\n" + e.getMessage(),
                    e);
        }
    }
}
