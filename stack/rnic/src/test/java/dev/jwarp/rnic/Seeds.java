package dev.jwarp.rnic;

import dev.jwarp.vectors.Whole;
import java.util.function.LongConsumer;

/**
 * The seeds of the simulations: 1 to {@code -Djwarp.sim.seeds=N}, unless told otherwise 40 in a build and 1,000 where all is tried; or only that of {@code -Djwarp.sim.seed=S}.
 */
final class Seeds {
    private static final long COUNT = Long.getLong("jwarp.sim.seeds", Whole.or(40, 1_000));
    private static final Long ONE = Long.getLong("jwarp.sim.seed");

    private Seeds() {}

    /** {@return whether just one seed is wanted, to be looked at closely} */
    static boolean one() {
        return ONE != null;
    }

    /** Plays each seed; a failure tells how to play that seed again. */
    static void each(Class<?> test, LongConsumer play) {
        oneIn(1, test, play);
    }

    /** Plays a share of the seeds, at least one: where one takes as long as many of the others. */
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
