package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Deadlines")
class DeadlinesTest {
    private final List<String> done = new ArrayList<>();

    private void act(String one) {
        done.add(one);
        if (one.equals("fails")) {
            throw new IllegalStateException("of the test");
        }
    }

    @Test
    @DisplayName("keep the later deadlines if all are run early and one fails")
    void earlyAndFails() {
        Deadlines<String> deadlines = new Deadlines<>(Duration.ofDays(1), this::act);
        List.of("first", "fails", "behind").forEach(deadlines::add);
        assertThatThrownBy(deadlines::runAll).hasMessage("of the test");
        assertThat(done).containsExactly("first", "fails");
        assertThat(deadlines.run()).isBetween(1L, Duration.ofDays(1).toNanos());
        deadlines.runAll();
        assertThat(done).containsExactly("first", "fails", "behind");
        assertThat(deadlines.run()).isEqualTo(Long.MAX_VALUE);
    }
}
