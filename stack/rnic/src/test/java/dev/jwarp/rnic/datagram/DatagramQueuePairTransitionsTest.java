package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.DatagramSide;
import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.connection.TableWalk;
import dev.jwarp.rnic.datagram.DatagramQueuePairPhase.Event;
import dev.jwarp.verbs.QueuePairState;
import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a datagram queue pair")
class DatagramQueuePairTransitionsTest {
    @Test
    @DisplayName("is drawn in datagram-queue-pair.dot, which changes with the table")
    void drawing() throws IOException {
        assertThat(DatagramQueuePairPhase.TABLE.toDot("datagram_queue_pair"))
                .isEqualTo(TableWalk.drawing("/dev/jwarp/rnic/datagram/datagram-queue-pair.dot"));
    }

    @Test
    @DisplayName("follows each row, and does not change on other events")
    void rows() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            TableWalk.walk(DatagramQueuePairPhase.TABLE, DatagramQueuePairPhase.class, Event.class, () -> {
                RnicDatagramQueuePair queuePair = (RnicDatagramQueuePair) DatagramSide.on(world, 0).queuePair;
                return new TableWalk.Mover<>(queuePair::move, queuePair::phase);
            });
        }
    }

    @Test
    @DisplayName("ends at its port or with the program, in either order, with distinct phases")
    void ends() {
        for (DatagramQueuePairPhase phase : DatagramQueuePairPhase.values()) {
            assertThat(phase.verbs() == QueuePairState.RTS)
                    .as(phase.name())
                    .isEqualTo(phase == DatagramQueuePairPhase.RTS);
        }
        assertThat(EnumSet.allOf(DatagramQueuePairPhase.class).stream().filter(DatagramQueuePairPhase::closed))
                .containsExactly(DatagramQueuePairPhase.CLOSED, DatagramQueuePairPhase.GONE);
        assertThat(EnumSet.allOf(DatagramQueuePairPhase.class).stream().filter(DatagramQueuePairPhase::detached))
                .containsExactly(DatagramQueuePairPhase.DETACHED, DatagramQueuePairPhase.GONE);
        assertThat(DatagramQueuePairPhase.TABLE.rows())
                .filteredOn(row -> row.from().closed())
                .allMatch(row -> row.to().closed());
    }
}
