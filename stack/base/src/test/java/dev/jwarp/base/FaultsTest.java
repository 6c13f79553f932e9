package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Faults of this side")
class FaultsTest {
    private final RuntimeException cause = new IllegalStateException("the cause");

    @Test
    @DisplayName("are reported in the log")
    void log() {
        List<Object> said = new ArrayList<>();
        new Faults((format, what, why) -> said.addAll(List.of(format, what, why))).tell("in {}", "a place", cause);
        assertThat(said).containsExactly("in {}", "a place", cause);
        assertThat(cause).hasNoSuppressedExceptions();
    }

    @Test
    @DisplayName("get the exception of the log as suppressed")
    void noLog() {
        Error noMemory = new OutOfMemoryError("for a line");
        new Faults((format, what, why) -> {
                    throw noMemory;
                })
                .tell("in {}", "a place", cause);
        assertThat(cause).hasSuppressedException(noMemory);
    }

    @Test
    @DisplayName("are reported without an exception even if the log throws the same error")
    void sameAgain() {
        new Faults((format, what, why) -> {
                    throw cause;
                })
                .tell("in {}", "a place", cause);
        assertThat(cause).hasNoSuppressedExceptions();
    }
}
