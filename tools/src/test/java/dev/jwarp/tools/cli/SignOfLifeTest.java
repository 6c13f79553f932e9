package dev.jwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SignOfLifeTest {
    private final Console world = Run.later("life").console();
    private final Console console = new Console(
            world.out(), world.err(), () -> 5_000, Map.of(), new Properties(), world.interruption(), world.ansi());

    @Test
    @DisplayName("one is due an interval after the one before")
    void oneIsDueIntervalAfterOneBefore() {
        SignOfLife life = new SignOfLife(console, Duration.ofNanos(100));

        assertThat(life.due(5_099)).isFalse();
        assertThat(life.due(5_100)).isTrue();
        assertThat(life.due(5_199)).isFalse();
        assertThat(life.due(5_300)).isTrue();
    }

    @Test
    @DisplayName("none is due where none is wanted")
    void noneIsDueWhereNoneIsWanted() {
        assertThat(new SignOfLife(console, Duration.ZERO).due(Long.MAX_VALUE)).isFalse();
    }
}
