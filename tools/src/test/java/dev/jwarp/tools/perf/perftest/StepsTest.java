package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StepsTest {
    private final Steps usual = new Steps(4096, 64);

    @Test
    @DisplayName("small messages walk through a page in cache lines")
    void smallMessagesWalkThroughPageInCacheLines() {
        assertThat(usual.offset(0, 2)).isZero();
        assertThat(usual.offset(1, 2)).isEqualTo(64);
        assertThat(usual.offset(63, 64)).isEqualTo(4032);
        assertThat(usual.offset(64, 64)).isZero();
        assertThat(usual.offset(1, 65)).isEqualTo(128);
        assertThat(usual.offset(1, 2048)).isEqualTo(2048);
    }

    @Test
    @DisplayName("large messages go to one place")
    void largeMessagesGoToOnePlace() {
        assertThat(usual.offset(1, 2049)).isZero();
        assertThat(usual.offset(7, 65_536)).isZero();
    }

    @Property
    @Label("no message leaves the memory")
    void noMessageLeavesMemory(
            @ForAll @IntRange(min = 1, max = 1 << 18) int page,
            @ForAll @IntRange(min = 1, max = 4096) int line,
            @ForAll @IntRange(min = 1, max = 1 << 19) int size,
            @ForAll @LongRange(max = Long.MAX_VALUE) long message) {
        Steps steps = new Steps(page, line);

        assertThat(steps.offset(message, size)).isNotNegative();
        assertThat(steps.offset(message, size) + (long) size).isLessThanOrEqualTo(steps.room(size));
    }
}
