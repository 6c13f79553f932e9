package dev.jwarp.conformance.report;

import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Verdict;
import java.util.Collection;

/**
 * Number of cases by result.
 *
 * @param passed cases in which the device met the requirement
 * @param failed cases with an unexpected deviation
 * @param excluded cases with an expected deviation, or expected to be inconclusive
 * @param skipped cases that were not tried
 * @param inconclusive cases that showed nothing
 * @param surprises cases that passed although a failure is known: the list of exclusions is out of date
 */
public record Totals(int passed, int failed, int excluded, int skipped, int inconclusive, int surprises) {
    /** Counts the results. */
    public static Totals of(Collection<Result> results) {
        int passed = 0;
        int failed = 0;
        int excluded = 0;
        int skipped = 0;
        int inconclusive = 0;
        int surprises = 0;
        for (Result r : results) {
            switch (r.verdict()) {
                case PASS -> passed++;
                case SKIPPED -> skipped++;
                case INCONCLUSIVE, FAIL -> {
                    if (r.known()) {
                        excluded++;
                    } else if (r.failed()) {
                        failed++;
                    } else {
                        inconclusive++;
                    }
                }
            }
            if (r.verdict() == Verdict.PASS && !r.excluded().isEmpty()) {
                surprises++;
            }
        }
        return new Totals(passed, failed, excluded, skipped, inconclusive, surprises);
    }

    public int all() {
        return passed + failed + excluded + skipped + inconclusive;
    }

    /** The run in a few words: how many cases passed and failed, and how many could not be judged. */
    public String headline() {
        return (failed > 0 ? failed + " failed, " : "")
                + passed
                + " passed"
                + (inconclusive > 0 ? ", " + inconclusive + " not judged" : "")
                + (excluded > 0 ? ", " + excluded + " known deviations" : "");
    }

    /** The last line of a run. */
    public String line() {
        return "%d tests, %d passed, %d skipped, %d failed".formatted(all(), passed, skipped, failed)
                + (inconclusive > 0 ? ", " + inconclusive + " inconclusive" : "")
                + (excluded > 0 ? ", " + excluded + " known deviations" : "")
                + (surprises > 0 ? ", " + surprises + " known deviations passed" : "");
    }
}
