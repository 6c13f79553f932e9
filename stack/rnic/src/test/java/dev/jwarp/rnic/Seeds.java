package dev.jwarp.rnic;

import dev.jwarp.vectors.Whole;
import java.util.function.LongConsumer;

/**
 * The seeds of the simulations: 1 to {@code -Djwarp.sim.seeds=N}, by default 40 in a build and 1,000 in a full test
 * run; or the single seed of {@code -Djwarp.sim.seed=S}.
 */
final class Seeds {
    private static final long COUNT = Long.getLong("jwarp.sim.seeds", Whole.or(40, 1_000));
    private static final Long ONE = Long.getLong("jwarp.sim.seed");

    private Seeds() {}

    /** {@return whether a single seed is run, for debugging} */
    static boolean one() {
        return ONE != null;
    }

    /** Runs each seed; a failure names the property to run that seed again. */
    static void each(Class<?> test, LongConsumer play) {
        oneIn(1, test, play);
    }

    /** Runs a fraction of the seeds, at least one; for tests that take long per seed. */
    static void oneIn(int share, Class<?> test, LongConsumer play) {
        long first = ONE == null ? 1 : ONE;
        long last = ONE == null ? Math.max(1, COUNT / share) : ONE;
        for (long seed = first; seed <= last; seed++) {
            try {
                play.accept(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "Seed " + seed + " failed. Run it alone: -Dtest=" + test.getSimpleName() + " -Djwarp.sim.seed="
                                + seed + "\n" + e.getMessage(),
                        e);
            }
        }
    }
}
