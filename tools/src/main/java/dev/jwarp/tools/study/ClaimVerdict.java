package dev.jwarp.tools.study;

import dev.jwarp.tools.figure.RunSpread;
import dev.jwarp.tools.study.StudyCatalogue.Claim;
import dev.jwarp.tools.study.StudyCatalogue.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether a claim was found.
 *
 * @param claim the claim
 * @param outcome the answer
 * @param ours the ratios, as text; a dash if there are none
 * @param reason why the claim was not found, or not checked; empty if it was found
 */
record ClaimVerdict(Claim claim, Outcome outcome, String ours, String reason) {
    /** The answers. */
    enum Outcome {
        FOUND("found"),
        NOT_FOUND("not found"),
        NOT_RUN("NOT RUN"),
        ERROR("ERROR");

        final String word;

        Outcome(String word) {
            this.word = word;
        }
    }

    /** A condition with its measured ratios, one for each point. */
    private record Measured(Condition condition, List<Double> ratios) {
        double mean() {
            return Math.exp(ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
        }

        boolean holds() {
            return condition.each() ? ratios.stream().allMatch(condition::holds) : condition.holds(mean());
        }

        String text() {
            double least = ratios.stream().mapToDouble(ratio -> ratio).min().orElse(0);
            double most = ratios.stream().mapToDouble(ratio -> ratio).max().orElse(0);
            return number(mean()) + (ratios.size() > 1 ? " (" + number(least) + " to " + number(most) + ")" : "");
        }

        String missed() {
            String bounds = (condition.above() == null ? "" : " above " + number(condition.above()))
                    + (condition.below() == null ? "" : " below " + number(condition.below()));
            return of(condition) + " is " + text() + ", not" + bounds;
        }
    }

    /** {@return the verdict about a claim} */
    static ClaimVerdict of(Claim claim, StudySamples samples) {
        List<Measured> all = new ArrayList<>();
        for (Condition condition : claim.when()) {
            String died = reason(samples.failed(), condition);
            if (died != null) {
                return new ClaimVerdict(claim, Outcome.ERROR, "-", died);
            }
            List<Double> ratios = ratios(condition, samples);
            if (ratios.isEmpty()) {
                String lacking = reason(samples.notRun(), condition);
                return lacking == null
                        ? new ClaimVerdict(claim, Outcome.ERROR, "-", of(condition) + " has no figures")
                        : new ClaimVerdict(claim, Outcome.NOT_RUN, "-", lacking);
            }
            all.add(new Measured(condition, ratios));
        }
        String ours = String.join("; ", all.stream().map(Measured::text).toList());
        List<String> missed = all.stream()
                .filter(measured -> !measured.holds())
                .map(Measured::missed)
                .toList();
        return missed.isEmpty()
                ? new ClaimVerdict(claim, Outcome.FOUND, ours, "")
                : new ClaimVerdict(
                        claim,
                        Outcome.NOT_FOUND,
                        ours,
                        String.join("; ", missed) + "." + (claim.unless() == null ? "" : " " + claim.unless()));
    }

    /** {@return the reason that a contender of the condition has no figures; null if there is none} */
    private static @Nullable String reason(Map<String, String> reasons, Condition condition) {
        for (Map.Entry<String, String> entry : reasons.entrySet()) {
            String contender = entry.getKey();
            if (isOf(condition.of(), contender) || (condition.to() != null && isOf(condition.to(), contender))) {
                return contender.isEmpty() ? entry.getValue() : contender + ": " + entry.getValue();
            }
        }
        return null;
    }

    /** {@return whether points with this name are those of the contender} Some contenders name their points in rows. */
    private static boolean isOf(String name, String contender) {
        return contender.isEmpty() || name.equals(contender) || name.startsWith(contender + " ");
    }

    private static List<Double> ratios(Condition condition, StudySamples samples) {
        String to = Objects.requireNonNullElse(condition.to(), condition.of());
        String by = Objects.requireNonNullElse(condition.by(), condition.figure());
        SortedMap<Double, RunSpread> mine = samples.points(condition.of(), condition.figure());
        SortedMap<Double, RunSpread> other = samples.points(to, by);
        List<Double> ratios = new ArrayList<>();
        mine.forEach((x, spread) -> {
            if (condition.at() == null || condition.at().equals(x)) {
                RunSpread divisor = other.get(Objects.requireNonNullElse(condition.toAt(), x));
                double below =
                        condition.value() != null ? condition.value() : divisor == null ? Double.NaN : divisor.median();
                double ratio = spread.median() / below;
                if (Double.isFinite(ratio)) {
                    ratios.add(ratio);
                }
            }
        });
        return ratios;
    }

    /** {@return the comparison of a condition as text, such as {@code latency_us/p50 of UD at 64 / RC}} */
    private static String of(Condition condition) {
        StringBuilder text =
                new StringBuilder(condition.figure()).append(" of ").append(condition.of());
        if (condition.at() != null) {
            text.append(" at ").append(number(condition.at()));
        }
        if (condition.value() != null) {
            return text.append(" / ").append(number(condition.value())).toString();
        }
        text.append(" / ");
        if (condition.by() != null) {
            text.append(condition.by()).append(" of ");
        }
        text.append(Objects.requireNonNullElse(condition.to(), condition.of()));
        if (condition.toAt() != null) {
            text.append(" at ").append(number(condition.toAt()));
        }
        return text.toString();
    }

    /** {@return a number with at least two and at most three significant digits, more if it is whole} */
    static String number(double value) {
        if (value == Math.rint(value) || Math.abs(value) >= 100) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(
                Locale.ROOT, Math.abs(value) >= 10 ? "%.1f" : Math.abs(value) >= 0.1 ? "%.2f" : "%.2g", value);
    }
}
