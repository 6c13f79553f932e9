package dev.jwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimClockTest {
    private final SimClock clock = new SimClock();

    @Test
    void standsStillUntilItIsMoved() {
        long start = clock.nowNanos();
        assertThat(clock.nowNanos()).isEqualTo(start);
        clock.advanceTo(start + 5);
        assertThat(clock.nowNanos()).isEqualTo(start + 5);
        assertThat(clock.after(7)).isEqualTo(start + 12);
    }

    @Test
    void neverGoesBack() {
        assertThatThrownBy(() -> clock.advanceTo(clock.nowNanos() - 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsNoTimeBehindTheLast() {
        assertThat(clock.after(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void linksHaveRangesThatMakeSense() {
        assertThatThrownBy(() -> new SimLink(0, 1, 0, 0, 1, 1460)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SimLink(2, 1, 0, 0, 1, 1460)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SimLink(1, 1, 2, 1, 1, 1460)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SimLink(1, 1, 0, 0, 0, 1460)).isInstanceOf(IllegalArgumentException.class);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 10_000; i++) {
            SimLink link = SimLink.any(random);
            assertThat(link.segment(random)).isBetween(link.smallestSegment(), link.largestSegment());
            assertThat(link.delay(random)).isBetween(link.shortestDelayNanos(), link.longestDelayNanos());
        }
    }
}
