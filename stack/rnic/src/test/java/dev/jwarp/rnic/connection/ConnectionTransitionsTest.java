package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.LlpEnd;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a connection")
class ConnectionTransitionsTest {
    @Test
    @DisplayName("is drawn in connection.dot; a change of the table shows there")
    void drawing() throws IOException {
        assertThat(ConnectionTransitions.TABLE.toDot("connection")).isEqualTo(TableWalk.drawing("connection.dot"));
    }

    @Test
    @DisplayName("goes along each row, and stays where it is on all other events")
    void rows() {
        TableWalk.walk(ConnectionTransitions.TABLE, ConnectionState.class, ConnectionEvent.class, () -> {
            ConnectionLife life = new ConnectionLife();
            return new TableWalk.Mover<>(life::move, life::state);
        });
    }

    @Test
    @DisplayName(
            "is over when the queue pair has no use for it any more, and never before the stream has completed all")
    void over() {
        assertThat(ConnectionTransitions.TABLE.rows())
                .filteredOn(row -> row.to() == ConnectionState.OVER)
                .allMatch(row -> row.event() == ConnectionEvent.RELEASED)
                .noneMatch(row -> row.from() == ConnectionState.OPEN
                        || row.from() == ConnectionState.ENDING
                        || row.from() == ConnectionState.FAILING);
        for (ConnectionEvent event : ConnectionEvent.values()) {
            assertThat(ConnectionTransitions.TABLE.next(ConnectionState.OVER, event))
                    .isNull();
        }
    }

    @Test
    @DisplayName("was in order if the lower layer says so and nothing went wrong")
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
