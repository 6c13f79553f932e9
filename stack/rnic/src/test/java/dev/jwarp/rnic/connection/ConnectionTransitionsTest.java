package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpEnd;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a connection")
class ConnectionTransitionsTest {
    @Test
    @DisplayName("is drawn in connection.dot, which changes with the table")
    void drawing() throws IOException {
        assertThat(ConnectionLife.State.TABLE.toDot("connection")).isEqualTo(TableWalk.drawing("connection.dot"));
    }

    @Test
    @DisplayName("follows each row, and does not change on other events")
    void rows() {
        TableWalk.walk(ConnectionLife.State.TABLE, ConnectionLife.State.class, ConnectionLife.Event.class, () -> {
            ConnectionLife life = new ConnectionLife();
            return new TableWalk.Mover<>(life::move, life::state);
        });
    }

    @Test
    @DisplayName(
            "is over when the queue pair releases the connection, and never before the stream has completed all requests")
    void over() {
        assertThat(ConnectionLife.State.TABLE.rows())
                .filteredOn(row -> row.to() == ConnectionLife.State.OVER)
                .allMatch(row -> row.event() == ConnectionLife.Event.RELEASED)
                .noneMatch(row -> row.from() == ConnectionLife.State.OPEN
                        || row.from() == ConnectionLife.State.ENDING
                        || row.from() == ConnectionLife.State.FAILING);
        for (ConnectionLife.Event event : ConnectionLife.Event.values()) {
            assertThat(ConnectionLife.State.TABLE.next(ConnectionLife.State.OVER, event))
                    .isNull();
        }
    }

    @Test
    @DisplayName("was in order if the lower layer ended in order without a failure")
    void inOrder() {
        ConnectionLife life = new ConnectionLife();
        assertThat(life.inOrder()).isFalse();
        life.lowerGone(LlpEnd.GRACEFUL);
        assertThat(life.inOrder()).isTrue();
        life.failed();
        assertThat(life.inOrder()).isFalse();
        ConnectionLife lost = new ConnectionLife();
        lost.lowerGone(LlpEnd.RESET);
        assertThat(lost.inOrder()).isFalse();
    }
}
