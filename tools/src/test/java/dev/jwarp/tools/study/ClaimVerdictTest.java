package dev.jwarp.tools.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.study.StudyCatalogue.Claim;
import dev.jwarp.tools.study.StudyCatalogue.Condition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A verdict")
class ClaimVerdictTest {
    private final StudySamples samples = new StudySamples();

    @BeforeEach
    void measured() {
        add("fast", 1, 10, 11, 30);
        add("fast", 100, 20, 20, 20);
        add("slow", 1, 22, 21, 23);
        add("slow", 100, 80, 80, 80);
    }

    private void add(String name, double x, double... times) {
        for (int round = 0; round < times.length; round++) {
            samples.add(new StudySamples.Row(
                    "", name, name, x, round + 1, 0, Map.of("time", times[round], "half", times[round] / 2)));
        }
    }

    private static Condition condition(
            String of, @Nullable Double at, @Nullable String to, @Nullable Double above, @Nullable Double below) {
        return new Condition(of, "time", at, to, null, null, null, above, below, false);
    }

    private ClaimVerdict verdict(Condition... when) {
        return ClaimVerdict.of(new Claim("It is so.", "a paper", "0.5", List.of(when), "It is small."), samples);
    }

    @Test
    @DisplayName(
            "is 'found' if the ratio of medians has the order of the claim, and 'not found' for the opposite claim")
    void order() {
        assertThat(verdict(condition("fast", 1.0, "slow", null, 1.0)))
                .isEqualTo(new ClaimVerdict(
                        new Claim(
                                "It is so.",
                                "a paper",
                                "0.5",
                                List.of(condition("fast", 1.0, "slow", null, 1.0)),
                                "It is small."),
                        ClaimVerdict.Outcome.FOUND,
                        "0.50",
                        ""));
        ClaimVerdict turned = verdict(condition("fast", 1.0, "slow", 1.0, null));
        assertThat(turned.outcome()).isEqualTo(ClaimVerdict.Outcome.NOT_FOUND);
        assertThat(turned.reason()).isEqualTo("time of fast at 1 / slow is 0.50, not above 1. It is small.");
    }

    @Test
    @DisplayName("has the geometric mean of all points, or judges each")
    void points() {
        Condition mean = condition("fast", null, "slow", null, 0.4);
        assertThat(verdict(mean).outcome()).isEqualTo(ClaimVerdict.Outcome.FOUND);
        assertThat(verdict(mean).ours()).isEqualTo("0.35 (0.25 to 0.50)");
        Condition each = new Condition("fast", "time", null, "slow", null, null, null, null, 0.4, true);
        assertThat(verdict(each).outcome()).isEqualTo(ClaimVerdict.Outcome.NOT_FOUND);
    }

    @Test
    @DisplayName("compares other figures, other points, and numbers")
    void others() {
        assertThat(verdict(new Condition("fast", "half", 1.0, null, "time", null, null, 0.49, 0.51, false))
                        .outcome())
                .isEqualTo(ClaimVerdict.Outcome.FOUND);
        assertThat(verdict(new Condition("slow", "time", 100.0, null, null, 1.0, null, 3.6, 3.7, false))
                        .ours())
                .isEqualTo("3.64");
        assertThat(verdict(new Condition("slow", "time", 100.0, null, null, null, 40.0, 1.9, 2.1, false))
                        .outcome())
                .isEqualTo(ClaimVerdict.Outcome.FOUND);
    }

    @Test
    @DisplayName("needs all conditions")
    void all() {
        assertThat(verdict(condition("fast", 1.0, "slow", null, 1.0), condition("slow", 1.0, "fast", null, 1.0))
                        .outcome())
                .isEqualTo(ClaimVerdict.Outcome.NOT_FOUND);
    }

    @Test
    @DisplayName("is 'NOT RUN' without a contender that the machine cannot run, and an error without one that died")
    void absent() {
        samples.notRun("other", "this machine lacks it");
        assertThat(verdict(condition("other", 1.0, "slow", null, 1.0)))
                .extracting(ClaimVerdict::outcome, ClaimVerdict::reason)
                .containsExactly(ClaimVerdict.Outcome.NOT_RUN, "other: this machine lacks it");
        samples.failed("dead", "it ended with status 1");
        assertThat(verdict(condition("fast", 1.0, "dead", null, 1.0)))
                .extracting(ClaimVerdict::outcome, ClaimVerdict::reason)
                .containsExactly(ClaimVerdict.Outcome.ERROR, "dead: it ended with status 1");
        samples.failed("fast", "it ended with status 2"); // in a later round
        assertThat(verdict(condition("fast", 1.0, "slow", null, 1.0)).outcome()).isEqualTo(ClaimVerdict.Outcome.ERROR);
        assertThat(verdict(condition("slow", 7.0, "slow", null, 1.0)))
                .extracting(ClaimVerdict::outcome, ClaimVerdict::reason)
                .containsExactly(ClaimVerdict.Outcome.ERROR, "time of slow at 7 / slow has no figures");
    }
}
