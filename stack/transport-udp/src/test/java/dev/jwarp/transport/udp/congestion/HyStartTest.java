package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Slow start with HyStart++ (RFC 9406)")
class HyStartTest {
    private final Path path = new Path(new Cubic());

    private static long millis(long millis) {
        return MILLISECONDS.toNanos(millis);
    }

    @Test
    @DisplayName("continues while round trips grow by less than 2 ms")
    void goesOn() {
        path.rounds(2);
        path.round(millis(21));
        path.round(millis(22));
        assertThat(path.window()).isEqualTo(160);
    }

    @Test
    @DisplayName(
            "grows by a quarter when round trips have grown by 4 ms, for 5 round trips, and ends then, without any loss")
    void leaves() {
        path.rounds(2);
        path.round(millis(24));
        double before = path.window();
        assertThat(before).as("8 at full, 32 at a quarter of the speed").isCloseTo(40 + 8 + 8, within(1.0));
        for (int i = 0; i < 4; i++) {
            path.round(millis(24));
        }
        assertThat(path.window()).isCloseTo(before * Math.pow(1.25, 4), within(6.0));
        path.round(millis(24));
        before = path.window();
        path.round(millis(24));
        assertThat(path.window()).as("congestion avoidance").isLessThan(before * 1.06);
    }

    @Test
    @DisplayName("ends earlier if round trips grow by as much again, which is no jitter")
    void leavesAtOnce() {
        path.rounds(2);
        path.round(millis(24));
        path.round(millis(28));
        double before = path.window();
        path.round(millis(28));
        assertThat(path.window()).as("congestion avoidance").isLessThan(before * 1.06);
    }

    @Test
    @DisplayName("resumes full growth when round trips are short again, since there was no queue")
    void comesBack() {
        path.rounds(2);
        path.round(millis(24));
        path.round(millis(20));
        double before = path.window();
        path.round(millis(20));
        assertThat(path.window()).isCloseTo(2 * before, within(1.0));
    }

    @Test
    @DisplayName("detects a queue that grows within one round trip")
    void withinARound() {
        path.rounds(4);
        int first = path.serial;
        path.serial += 160;
        for (int i = 0; i < 160; i++) {
            path.acknowledge(first + i, 159 - i, millis(20) + i * millis(20) / 160);
        }
        assertThat(path.window()).as("not 320").isLessThan(250);
    }
}
