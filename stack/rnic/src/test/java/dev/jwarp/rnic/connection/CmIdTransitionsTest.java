package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.World;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a connection id")
class CmIdTransitionsTest {
    @Test
    @DisplayName("is drawn in cm-id.dot, which changes with the table")
    void drawing() throws IOException {
        assertThat(CmIdState.TABLE.toDot("cm_id")).isEqualTo(TableWalk.drawing("cm-id.dot"));
    }

    @Test
    @DisplayName("follows each row, and does not change on other moves")
    void rows() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            RnicCmId id = (RnicCmId) world.connecting().createId();
            TableWalk.walk(CmIdState.TABLE, CmIdState.class, CmIdState.Move.class, () -> {
                CmIdLife life = new CmIdLife(Inside.core(world.connecting()), id, id.events(), null, null, null);
                return new TableWalk.Mover<>(life::move, life::state);
            });
        }
    }

    @Test
    @DisplayName("ends when it is closed")
    void closed() {
        assertThat(CmIdState.TABLE.rows())
                .filteredOn(row -> row.from() == CmIdState.CLOSED || row.from() == CmIdState.GONE)
                .allMatch(row -> row.to() == CmIdState.GONE);
    }
}
