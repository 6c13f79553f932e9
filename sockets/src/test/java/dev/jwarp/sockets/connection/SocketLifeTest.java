package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The life of a socket connection")
class SocketLifeTest {
    /** The events that lead to each state, by the rows of the table. */
    private static Map<SocketLife.State, List<SocketLife.Event>> paths() {
        Map<SocketLife.State, List<SocketLife.Event>> paths = new EnumMap<>(SocketLife.State.class);
        paths.put(SocketLife.State.CONNECTING, List.of());
        for (var row : SocketLife.TABLE.rows()) { // a row follows one that leads to its state
            if (!paths.containsKey(row.to())) {
                List<SocketLife.Event> path = new ArrayList<>(paths.get(row.from()));
                path.add(row.event());
                paths.put(row.to(), path);
            }
        }
        return paths;
    }

    private static SocketLife at(SocketLife.State state) {
        SocketLife life = new SocketLife();
        paths().get(state).forEach(life::move);
        assertThat(life.state()).isEqualTo(state);
        return life;
    }

    @Test
    @DisplayName("follows each row, and ignores all other events")
    void rows() {
        assertThat(paths()).containsOnlyKeys(SocketLife.State.values());
        for (SocketLife.State from : SocketLife.State.values()) {
            for (SocketLife.Event event : SocketLife.Event.values()) {
                SocketLife life = at(from);
                SocketLife.State next = SocketLife.TABLE.next(from, event);
                assertThat(life.move(event)).as("%s on %s", from, event).isEqualTo(next != null);
                assertThat(life.state()).isEqualTo(next == null ? from : next);
            }
        }
    }

    @Test
    @DisplayName("ends once, from each state; only an ended connection can be released")
    void over() {
        for (SocketLife.State from : SocketLife.State.values()) {
            SocketLife life = at(from);
            boolean before = life.over();
            boolean established = life.established();
            assertThat(life.move(SocketLife.Event.OVER)).isEqualTo(!before);
            assertThat(life.over()).isTrue();
            assertThat(life.established()).as("established, from %s", from).isEqualTo(established);
            assertThat(at(from).move(SocketLife.Event.RELEASED)).isEqualTo(before && from != SocketLife.State.RELEASED);
        }
    }

    @Test
    @DisplayName("requests its end once, whether it is established or not")
    void endWanted() {
        for (SocketLife.State from : SocketLife.State.values()) {
            SocketLife life = at(from);
            life.move(SocketLife.Event.END_WANTED);
            assertThat(life.move(SocketLife.Event.END_WANTED)).isFalse();
            life.move(SocketLife.Event.ESTABLISHED);
            assertThat(life.move(SocketLife.Event.END_WANTED)).isFalse();
        }
    }

    @Test
    @DisplayName("is closed forever, also if the program takes it late")
    void closed() {
        SocketLife life = new SocketLife();
        assertThat(life.untaken()).isTrue();
        life.take();
        assertThat(life.untaken()).isFalse();
        assertThat(life.closed()).isFalse();
        life.close();
        life.take();
        assertThat(life.closed()).isTrue();
        assertThat(life.untaken()).isFalse();
    }
}
