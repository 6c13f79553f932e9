package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A bound")
class BoundTest {
    @Test
    @DisplayName("is met on its own side, and at its value unless it has to be below")
    void verdicts() {
        assertThat(Bound.atLeast(1.1).verdict(1.1)).isEqualTo("met");
        assertThat(Bound.atLeast(1.1).verdict(1.09)).isEqualTo("not met");
        assertThat(Bound.atMost(1.1).verdict(1.1)).isEqualTo("met");
        assertThat(Bound.atMost(1.1).verdict(1.11)).isEqualTo("not met");
        assertThat(Bound.below(1).verdict(1)).isEqualTo("not met");
        assertThat(Bound.REPORT.verdict(7)).isEqualTo("report");
    }

    @Test
    @DisplayName("says what it asks")
    void text() {
        assertThat(Bound.atLeast(1.15).text()).isEqualTo("≥ 1.15");
        assertThat(Bound.atMost(8192).text()).isEqualTo("≤ 8192");
        assertThat(Bound.REPORT.text()).isEqualTo("–");
        assertThat(Bound.published(2.93).text()).isEqualTo("(published 2.93)");
    }
}
