package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A rate")
class RateTest {
    private static final long PERIOD = 1_000;

    private final Rate rate = new Rate(PERIOD, 1_024, 42);

    @Test
    @DisplayName("counts per source and in total, in a period that begins with the first action")
    void counts() {
        for (int i = 0; i < 3; i++) {
            rate.count(7, 500 + i);
        }
        rate.count(8, 1_400);
        assertThat(rate.of(7, 1_499)).isEqualTo(3);
        assertThat(rate.of(8, 1_499)).isEqualTo(1);
        assertThat(rate.of(9, 1_499)).isZero();
        assertThat(rate.all(1_499)).isEqualTo(4);
        assertThat(rate.all(1_500)).as("the period is over").isZero();
        assertThat(rate.of(7, 1_500)).isZero();
        rate.count(9, 9_999);
        assertThat(rate.all(10_998)).isEqualTo(1);
        assertThat(rate.all(10_999)).isZero();
    }

    @Test
    @DisplayName("works across the overflow of the clock")
    void clock() {
        rate.count(7, Long.MAX_VALUE);
        assertThat(rate.all(Long.MAX_VALUE + PERIOD - 1)).isEqualTo(1);
        assertThat(rate.all(Long.MAX_VALUE + PERIOD)).isZero();
    }

    @Test
    @DisplayName("keeps the count of a source in a flood of others, and adds few of theirs to it")
    void flood() {
        rate.count(-1, 0);
        for (long key = 0; key < 10_240; key++) {
            rate.count(key, 0);
        }
        assertThat(rate.of(-1, 0)).isBetween(1, 40);
        assertThat(rate.all(0)).isEqualTo(10_241);
    }

    @Test
    @DisplayName("gives almost no new source the count of another while a few hundred sources are active")
    void crowd() {
        Rate wide = new Rate(PERIOD, 32_768, 42);
        for (long key = 0; key < 500; key++) {
            wide.count(key, 0);
            wide.count(key, 0);
        }
        assertThat(LongStream.range(1_000, 101_000).filter(key -> wide.of(key, 0) > 0))
                .as("new sources of a hundred thousand that share a count with one of five hundred")
                .hasSizeLessThan(100);
    }

    @Test
    @DisplayName("gives no new source the counts of the same others in every period")
    void nextPeriod() {
        Rate narrow = new Rate(PERIOD, 256, 42);
        long[] met = LongStream.range(1_000, 101_000).toArray();
        for (int period = 0; period < 6; period++) {
            long now = period * PERIOD;
            for (long key = 0; key < 50; key++) {
                narrow.count(key, now);
            }
            met = LongStream.of(met).filter(key -> narrow.of(key, now) > 0).toArray();
        }
        assertThat(met)
                .as("new sources that shared counts with the same fifty in all six periods")
                .isEmpty();
    }

    @Test
    @DisplayName("needs a positive period, and a power of two of places")
    void misuse() {
        assertThatThrownBy(() -> new Rate(0, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Rate(PERIOD, 3, 0)).hasMessageContaining("power of two");
        assertThatThrownBy(() -> new Rate(PERIOD, 1 << 22, 0)).hasMessageContaining("at most 2^21");
    }
}
