package dev.jwarp.tools.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** See the class under test. */
@DisplayName("What was taken")
class RollbackTest {
    private final List<String> back = new ArrayList<>();

    private Rollback three() {
        Rollback taken = new Rollback();
        taken.add(() -> back.add("first"));
        taken.add(() -> {
            back.add("second");
            throw new IllegalStateException("the second");
        });
        taken.add(() -> {
            back.add("third");
            throw new OutOfMemoryError("the third");
        });
        return taken;
    }

    @Test
    @DisplayName(
            "is given back, the last first, also where some of it throws; the first failure gets out with the others in it")
    void close() {
        assertThatThrownBy(three()::close)
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("the third")
                .hasSuppressedException(new IllegalStateException("the second"));
        assertThat(back).containsExactly("third", "second", "first");
    }

    @Test
    @DisplayName("is given back once")
    void once() {
        Rollback taken = three();
        assertThatThrownBy(taken::close).isInstanceOf(OutOfMemoryError.class);
        taken.close();
        assertThat(back).hasSize(3);
    }

    @Test
    @DisplayName("is kept when all is there")
    void keep() {
        try (Rollback taken = three()) {
            taken.keep();
        }
        assertThat(back).isEmpty();
    }
}
