package dev.jwarp.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Single-threaded; {@code OwnershipStress} tests work that arrives as a wait begins. */
@DisplayName("An owner that waits")
class WaitingTest {
    private boolean idle = true;
    private int wakes;
    private final Waiting waiting = new Waiting(() -> idle, () -> wakes++);

    @Test
    @DisplayName("is woken by new work; an owner that does not wait needs no wake-up")
    void signal() {
        waiting.signal();
        assertThat(wakes).isZero();
        assertThat(waiting.begin()).isTrue();
        waiting.signal();
        assertThat(wakes).isEqualTo(1);
        waiting.end();
        waiting.signal();
        assertThat(wakes).isEqualTo(1);
    }

    @Test
    @DisplayName("does not wait if there is work, and announces the wait before it looks for work")
    void look() {
        Waiting[] made = new Waiting[1];
        made[0] = new Waiting(
                () -> {
                    made[0].signal(); // as another thread could at this moment
                    return false;
                },
                () -> wakes++);
        assertThat(made[0].begin()).isFalse();
        assertThat(wakes).isEqualTo(1);
    }

    @Test
    @DisplayName("stops on a wake-up, even one before the wait, and waits again the next time")
    void wakeup() {
        waiting.wakeup();
        assertThat(wakes).isZero();
        assertThat(waiting.isWakeRequested()).isTrue();
        assertThat(waiting.begin()).isFalse();
        waiting.end();
        assertThat(waiting.begin()).isTrue();
        waiting.wakeup();
        assertThat(wakes).isEqualTo(1);
        waiting.end();
        assertThat(waiting.isWakeRequested()).isFalse();
        assertThat(waiting.begin()).isTrue();
    }
}
