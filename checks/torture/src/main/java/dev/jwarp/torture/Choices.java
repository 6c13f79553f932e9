package dev.jwarp.torture;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Where the choices of a run come from: {@code -Dtorture.seed=N}, or a new seed each time; and how long it goes on:
 * {@code -Dtorture.seconds=N}. A run that fails tells its seed.
 */
public final class Choices {
    private static final Long ONE = Long.getLong("torture.seed");
    private static final Integer SECONDS = Integer.getInteger("torture.seconds");

    private Choices() {}

    /** {@return how long one world is to be tortured: half a second unless told} */
    public static Duration duration() {
        return SECONDS == null ? Duration.ofMillis(500) : Duration.ofSeconds(SECONDS);
    }

    /** {@return whether just one seed is wanted} */
    public static boolean one() {
        return ONE != null;
    }

    /** Runs {@code play} with a seed; a failure tells how to run that seed again. */
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
