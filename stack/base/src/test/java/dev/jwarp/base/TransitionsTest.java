package dev.jwarp.base;

import static dev.jwarp.base.Transitions.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A table of states")
class TransitionsTest {
    private enum Door {
        OPEN,
        SHUT,
        GONE
    }

    private enum Hand {
        PUSH,
        PULL
    }

    @Test
    @DisplayName("has the transition of each row, and no other")
    void ways() {
        Transitions<Door, Hand> table = new Transitions<>(
                Door.class,
                Hand.class,
                List.of(row(Door.OPEN, Hand.PUSH, Door.SHUT), row(Door.SHUT, Hand.PULL, Door.OPEN)));
        assertThat(table.next(Door.OPEN, Hand.PUSH)).isEqualTo(Door.SHUT);
        assertThat(table.next(Door.SHUT, Hand.PULL)).isEqualTo(Door.OPEN);
        assertThat(table.next(Door.OPEN, Hand.PULL)).isNull();
        assertThat(table.next(Door.SHUT, Hand.PUSH)).isNull();
        assertThat(table.next(Door.GONE, Hand.PULL)).isNull();
        assertThat(table.rows()).extracting(Transitions.Row::event).containsExactly(Hand.PUSH, Hand.PULL);
        assertThat(table.toDot("door")).isEqualTo("""
            digraph door {
              OPEN;
              SHUT;
              GONE;
              OPEN -> SHUT [label="PUSH"];
              SHUT -> OPEN [label="PULL"];
            }
            """);
    }

    @Test
    @DisplayName("rejects two rows for one state and event")
    void ambiguous() {
        assertThatThrownBy(() -> new Transitions<>(
                        Door.class,
                        Hand.class,
                        List.of(row(Door.OPEN, Hand.PUSH, Door.SHUT), row(Door.OPEN, Hand.PUSH, Door.GONE))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("OPEN has two ways to go on PUSH");
    }
}
