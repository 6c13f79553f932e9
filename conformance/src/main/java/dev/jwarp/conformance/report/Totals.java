package dev.jwarp.conformance.report;

import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Verdict;
import java.util.Collection;
import java.util.function.Predicate;

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
        return new Totals(
                count(results, r -> r.verdict() == Verdict.PASS),
                count(results, Result::failed),
                count(results, Result::known),
                count(results, r -> r.verdict() == Verdict.SKIPPED),
                count(results, Result::unclear),
                count(results, r -> r.verdict() == Verdict.PASS && !r.excluded().isEmpty()));
    }

    private static int count(Collection<Result> results, Predicate<Result> which) {
        return (int) results.stream().filter(which).count();
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
