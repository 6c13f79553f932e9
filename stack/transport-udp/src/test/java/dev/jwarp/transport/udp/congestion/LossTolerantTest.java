package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The window with a loss tolerance")
class LossTolerantTest {
    private final Path path = new Path(CongestionControl.of("cubic", 10));

    private void rounds(int count, int oneOf) {
        rounds(count, oneOf, path.roundTrip);
    }

    /** Round trips with a full window; one in {@code oneOf} datagrams is lost, 0 for none. */
    private void rounds(int count, int oneOf, long nanos) {
        for (int i = 0; i < count; i++) {
            path.round(nanos, oneOf);
        }
    }

    /** Ends the first slow start by a growing queue. */
    private void started(int oneOf) {
        rounds(4, oneOf);
        assertThat(path.window()).isGreaterThan(130);
        rounds(8, oneOf, path.roundTrip + path.roundTrip / 3);
    }

    /** {@return the window after {@code what} divided by the window before} */
    private double kept(Runnable what) {
        double before = path.window();
        what.run();
        return path.window() / before;
    }

    @Tag("DG-11.4-1")
    @Test
    @DisplayName("begins with 10, and doubles while the loss is within the tolerance")
    void start() {
        assertThat(path.window()).isEqualTo(10);
        rounds(4, 15);
        assertThat(path.window()).isGreaterThan(100);
    }

    @Test
    @DisplayName("shrinks in the first slow start at a higher loss")
    void heavyStart() {
        rounds(3, 0);
        assertThat(kept(() -> rounds(3, 4))).isLessThan(1);
    }

    @Test
    @DisplayName("does not grow while it is not used up")
    void idle() {
        path.limited = false;
        rounds(2, 0);
        assertThat(path.window()).isEqualTo(10);
    }

    @Test
    @DisplayName("shrinks at each loss, as without a tolerance, on a path without random loss")
    void nothingOfItsOwn() {
        started(0);
        assertThat(kept(path::loseOne)).isBetween(0.65, 0.75);
        path.rounds(3);
        assertThat(kept(path::loseOne)).isBetween(0.65, 0.75);
    }

    @Test
    @DisplayName("counts losses in slow start long before its end as random")
    void knownFromTheStart() {
        started(12);
        assertThat(kept(() -> rounds(20, 12))).isGreaterThanOrEqualTo(1);
    }

    @Test
    @DisplayName("counts losses after a reduction as random")
    void learned() {
        started(0);
        rounds(30, 20);
        assertThat(kept(() -> rounds(20, 20))).as("5 % lost").isGreaterThan(1);
    }

    @Test
    @DisplayName("shrinks when more is lost than random loss and chance explain")
    void excess() {
        started(12);
        rounds(5, 12);
        assertThat(kept(() -> rounds(3, 4))).isBetween(0.65, 0.8);
    }

    @Test
    @DisplayName("shrinks when the shortest round trip of a round shows a queue, on a path with random loss")
    void queue() {
        started(12);
        rounds(5, 12);
        long mark = path.roundTrip / 2 * 3;
        assertThat(kept(() -> rounds(2, 12, mark))).isGreaterThanOrEqualTo(1);
        double before = path.window();
        rounds(2, 12, mark + MILLISECONDS.toNanos(1));
        rounds(1, 12);
        assertThat(path.window() / before).isBetween(0.65, 0.8);
    }

    @Test
    @DisplayName("ignores a queue, as without a tolerance, on a path without random loss")
    void queueAlone() {
        started(0);
        assertThat(kept(() -> rounds(1, 0, 2 * path.roundTrip))).isGreaterThanOrEqualTo(1);
    }

    @Test
    @DisplayName("measures the random loss again every 5 s: shrinks, and uses the loss after that")
    void doubt() {
        started(12);
        rounds(5, 12);
        path.limited = false; // the window does not grow
        assertThat(kept(() -> rounds(200, 12))).as("after 4 s").isEqualTo(1);
        assertThat(kept(() -> rounds(100, 12))).as("after 6 s").isBetween(0.6, 0.75);
    }

    @Tag("DG-11.4-3")
    @Test
    @DisplayName("is 2 after time-outs without an answer")
    void least() {
        started(0);
        path.control.onPersistentLoss(path.serial);
        assertThat(path.window()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "grows back when the losses behind a reduction had only been late, and is unchanged after other late ones")
    void needless() {
        started(0);
        double before = path.window();
        path.loseOne();
        path.control.onNeedlessRepeat();
        assertThat(path.window()).isGreaterThanOrEqualTo(before);
        rounds(30, 20);
        path.lose(1, path.serial - 1, (int) path.window());
        assertThat(kept(path.control::onNeedlessRepeat))
                .as("a loss that was not passed on")
                .isEqualTo(1);
    }
}
