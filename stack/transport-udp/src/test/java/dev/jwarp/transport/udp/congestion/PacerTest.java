package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A pacer")
class PacerTest {
    private static final long RATE = 1_500_000; // a datagram of 1,500 bytes takes a millisecond
    private static final int DATAGRAM = 1_500;
    private static final long DATAGRAM_TIME = MILLISECONDS.toNanos(1);

    private final Pacer pacer = new Pacer();

    @Test
    @DisplayName("admits a burst at once, then one datagram after the other")
    void burst() {
        long burst = Pacer.burst(MILLISECONDS.toNanos(20), DATAGRAM, RATE);
        assertThat(burst).as("two datagrams at least").isEqualTo(2 * DATAGRAM_TIME);
        int atOnce = 0;
        while (pacer.admittedAt() <= 0) {
            pacer.sent(DATAGRAM, RATE, burst, 0);
            atOnce++;
        }
        assertThat(atOnce).isEqualTo(3);
        assertThat(pacer.admittedAt()).isEqualTo(DATAGRAM_TIME);
    }

    @Test
    @DisplayName("admits waiting datagrams in pairs, at the same rate")
    void pairs() {
        long burst = Pacer.burst(MILLISECONDS.toNanos(20), DATAGRAM, RATE);
        List<Long> left = new ArrayList<>();
        for (long now = 0; now < 20 * DATAGRAM_TIME; now += DATAGRAM_TIME / 10) {
            while (pacer.admittedAt() <= now) {
                pacer.sent(DATAGRAM, RATE, burst, now);
                left.add(now);
            }
            pacer.waits();
        }
        List<Long> later = left.subList(3, left.size());
        assertThat(later).hasSize(18);
        for (int i = 0; i < later.size(); i++) {
            assertThat(later.get(i)).isEqualTo((2 + i / 2 * 2) * DATAGRAM_TIME);
        }
    }

    @Test
    @DisplayName("has bursts of a 32nd of a round trip, 1 ms at most, on a fast path")
    void burstsOfFastPaths() {
        assertThat(Pacer.burst(MILLISECONDS.toNanos(16), DATAGRAM, 100 * RATE)).isEqualTo(MICROSECONDS.toNanos(500));
        assertThat(Pacer.burst(MILLISECONDS.toNanos(100), DATAGRAM, 100 * RATE)).isEqualTo(MILLISECONDS.toNanos(1));
    }

    @Test
    @DisplayName("paces round trips of 1 ms and longer: for shorter ones timers are too coarse")
    void shortRoundTrips() {
        assertThat(Pacer.paces(MICROSECONDS.toNanos(999))).isFalse();
        assertThat(Pacer.paces(MILLISECONDS.toNanos(1))).isTrue();
    }

    @Test
    @DisplayName("does not accumulate unused rate")
    void idle() {
        pacer.sent(DATAGRAM, RATE, 0, 0);
        long later = MILLISECONDS.toNanos(500);
        pacer.sent(DATAGRAM, RATE, 0, later);
        assertThat(pacer.admittedAt()).isEqualTo(later + DATAGRAM_TIME);
    }

    @Test
    @DisplayName("catches up after a late timer")
    void late() {
        pacer.sent(DATAGRAM, RATE, 0, 0);
        pacer.waits();
        long late = 2 * DATAGRAM_TIME;
        pacer.sent(DATAGRAM, RATE, 0, late);
        assertThat(pacer.admittedAt()).as("as if it had left at 1 ms").isEqualTo(late);
    }

    @Property
    @Label("admits at most the rate, a burst and 2 ms of lateness in any span of time")
    void bounded(
            @ForAll @Size(min = 2, max = 200) List<@LongRange(max = 5_000_000) Long> gaps,
            @ForAll @IntRange(min = 1, max = 1_500) int size,
            @ForAll @LongRange(min = 100_000, max = 100_000_000) long rate) {
        Pacer paced = new Pacer();
        long burst = Pacer.burst(MILLISECONDS.toNanos(20), DATAGRAM, rate);
        List<Long> times = new ArrayList<>();
        long now = 0;
        for (long gap : gaps) {
            now += gap;
            for (int i = 0; i < 50 && paced.admittedAt() <= now; i++) {
                paced.sent(size, rate, burst, now);
                times.add(now);
            }
            if (paced.admittedAt() > now) {
                paced.waits();
            }
        }
        for (int i = 0; i < times.size(); i += 7) {
            for (int j = i; j < times.size(); j += 3) {
                double span = times.get(j) - times.get(i) + burst + Pacer.LATE_NANOS;
                assertThat((j - i) * (double) size).isLessThanOrEqualTo((span + j - i) * rate / 1e9 + 1);
            }
        }
    }
}
