package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A transmission is lost (RFC 8985)")
class LossDetectorTest {
    private static final long ROUND_TRIP = MILLISECONDS.toNanos(20);

    private final LossDetector losses = new LossDetector();
    private final RttEstimator path = new RttEstimator();

    @BeforeEach
    void begin() {
        losses.begin();
        path.sample(ROUND_TRIP, 0);
    }

    /** {@return when transmission 0, sent at 0, counts as lost after 1, sent 1 ms later, has arrived} */
    private long lostAt(int ahead) {
        losses.onArrived(1, MILLISECONDS.toNanos(1), ROUND_TRIP + MILLISECONDS.toNanos(1));
        assertThat(losses.overtaken(0)).isTrue();
        return losses.lostAt(0, ahead, path);
    }

    @Tag("DG-11.3-14")
    @Test
    @DisplayName("only after a later one has arrived")
    void later() {
        assertThat(losses.overtaken(0)).isFalse();
        losses.onArrived(0, 0, ROUND_TRIP);
        assertThat(losses.overtaken(0)).isFalse();
        assertThat(losses.overtaken(1)).isFalse();
        assertThat(losses.newest()).isZero();
    }

    @Tag("DG-11.3-14")
    @Tag("DG-11.3-3")
    @Test
    @DisplayName(
            "a quarter of the least round trip after one later one, at once after three, while no reordering was seen")
    void window() {
        assertThat(lostAt(1)).isEqualTo(ROUND_TRIP + ROUND_TRIP / 4);
        assertThat(lostAt(3)).isEqualTo(ROUND_TRIP);
    }

    @Test
    @DisplayName("a quarter of the least round trip after any number, once reordering was seen")
    void reordered() {
        losses.onReordered();
        assertThat(lostAt(30)).isEqualTo(ROUND_TRIP + ROUND_TRIP / 4);
    }

    @Test
    @DisplayName("at once during recovery")
    void recovering() {
        losses.onLost(1, 0, 2);
        assertThat(lostAt(1)).isEqualTo(ROUND_TRIP);
        losses.onArrived(2, MILLISECONDS.toNanos(2), ROUND_TRIP + MILLISECONDS.toNanos(2));
        losses.onAcked();
        losses.onReordered();
        assertThat(losses.lostAt(MILLISECONDS.toNanos(2), 0, path)).isGreaterThan(2 * ROUND_TRIP / 2 + ROUND_TRIP / 4);
    }

    @Test
    @DisplayName("a quarter later for each round trip with a needless loss, up to a round trip")
    void widens() {
        for (int i = 2; i <= 4; i++) {
            losses.onArrived(100 * i, 0, ROUND_TRIP);
            losses.onNeedless(100 * i + 50);
            losses.onNeedless(100 * i + 50);
            assertThat(losses.lostAt(0, 9, path)).isEqualTo(ROUND_TRIP + i * ROUND_TRIP / 4);
        }
        losses.onArrived(1_000, 0, ROUND_TRIP);
        losses.onNeedless(1_050);
        assertThat(losses.lostAt(0, 9, path)).as("no more than a round trip").isEqualTo(2 * ROUND_TRIP);
        for (int i = 0; i < 16; i++) {
            losses.onLost(1, 2_000 + 10 * i, 2_001 + 10 * i);
            losses.onArrived(2_005 + 10 * i, 0, ROUND_TRIP);
            losses.onAcked();
        }
        assertThat(losses.lostAt(0, 9, path)).as("16 recoveries later").isEqualTo(ROUND_TRIP + ROUND_TRIP / 4);
    }

    @Test
    @DisplayName("and it is reported when all lost ones of an episode had arrived")
    void needless() {
        losses.onLost(2, 1, 10);
        assertThat(losses.onNeedless(12)).isFalse();
        assertThat(losses.onNeedless(12)).isTrue();
        losses.onLost(1, 12, 20);
        losses.onLost(1, 13, 20); // of the same flight
        assertThat(losses.onNeedless(22)).isFalse();
    }
}
