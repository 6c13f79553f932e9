package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Example;
import net.jqwik.api.Label;

@Label("A moment")
class MomentTest {
    @Example
    @Label("is later by the given time, on a clock of either sign, or never if the sum overflows")
    void after() {
        assertThat(Moment.after(5, 7)).isEqualTo(12);
        assertThat(Moment.after(-5, 7)).isEqualTo(2);
        assertThat(Moment.after(5, Long.MAX_VALUE - 6)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(Moment.after(5, Long.MAX_VALUE - 5)).isEqualTo(Long.MAX_VALUE);
        assertThat(Moment.after(5, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(Moment.after(-5, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(Moment.after(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
    }
}
