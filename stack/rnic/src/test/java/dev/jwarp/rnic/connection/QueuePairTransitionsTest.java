package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Transitions;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.World;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import java.io.IOException;
import java.util.EnumSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a queue pair")
class QueuePairTransitionsTest {
    @Test
    @DisplayName("is drawn in queue-pair.dot, which changes with the table")
    void drawing() throws IOException {
        assertThat(QueuePairPhase.TABLE.toDot("queue_pair")).isEqualTo(TableWalk.drawing("queue-pair.dot"));
    }

    @Test
    @DisplayName("follows each row, and does not change on other events")
    void rows() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.endpoint(world, world.connecting());
            RnicCompletionQueue completions = (RnicCompletionQueue) side.completions;
            TableWalk.walk(QueuePairPhase.TABLE, QueuePairPhase.class, QueuePairPhase.Event.class, () -> {
                RnicQueuePair queuePair = new RnicQueuePair(
                        Inside.connections(side.context),
                        (RnicProtectionDomain) side.domain,
                        QueuePairAttributes.builder(completions).build(),
                        new Completer(1, completions, completions));
                return new TableWalk.Mover<>(queuePair::move, queuePair::phase);
            });
        }
    }

    @Test
    @DisplayName("has a connection in RTR, RTS, SQD and ENDING, which only connect and accept reach")
    void connections() {
        EnumSet<QueuePairPhase> connected =
                EnumSet.of(QueuePairPhase.RTR, QueuePairPhase.RTS, QueuePairPhase.SQD, QueuePairPhase.ENDING);
        assertThat(QueuePairPhase.TABLE.rows())
                .filteredOn(row -> connected.contains(row.to()) && !connected.contains(row.from()))
                .containsExactly(Transitions.row(QueuePairPhase.INIT, QueuePairPhase.Event.BEGUN, QueuePairPhase.RTR));
        assertThat(QueuePairPhase.TABLE.rows())
                .filteredOn(row -> connected.contains(row.from()) && !connected.contains(row.to()))
                .extracting(Transitions.Row::event)
                .containsOnly(QueuePairPhase.Event.UNBEGUN, QueuePairPhase.Event.RELEASED, QueuePairPhase.Event.CLOSE);
    }

    @Test
    @DisplayName(
            "accepts sends from RTR on, receives from INIT on, nothing once it is closed; in error all requests are flushed")
    void posts() {
        for (QueuePairPhase phase : QueuePairPhase.values()) {
            assertThat(phase.takesReceives())
                    .as(phase.name())
                    .isEqualTo(phase != QueuePairPhase.RESET && !phase.closed());
            assertThat(phase.takesSends())
                    .as(phase.name())
                    .isEqualTo(phase.takesReceives() && phase != QueuePairPhase.INIT);
            assertThat(phase.flushes()).as(phase.name()).isEqualTo(phase.verbs() == QueuePairState.ERR);
        }
        assertThat(EnumSet.allOf(QueuePairPhase.class).stream().filter(QueuePairPhase::closed))
                .containsExactly(QueuePairPhase.CLOSED, QueuePairPhase.GONE);
    }
}
