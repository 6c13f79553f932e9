package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sockets.stream.CreditEnd.Event;
import dev.jwarp.sockets.stream.CreditEnd.State;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The closing of a credit stream")
class CreditEndTest {
    private static final Map<State, List<Event>> PATHS = Map.of(
            State.OPEN, List.of(),
            State.FIN_DUE, List.of(Event.SHUT_DOWN),
            State.FIN_SAID, List.of(Event.SHUT_DOWN, Event.SAY),
            State.CLOSED_DUE, List.of(Event.CLOSE),
            State.CLOSED_SAID, List.of(Event.CLOSE, Event.SAY),
            State.SHUT, List.of(Event.NO_USE));

    private static CreditEnd at(State state) {
        CreditEnd end = new CreditEnd();
        PATHS.get(state).forEach(end::move);
        assertThat(end.state()).isEqualTo(state);
        return end;
    }

    @Test
    @DisplayName("follows each row of its table, and ignores all other events")
    void rows() {
        for (State from : State.values()) {
            for (Event event : Event.values()) {
                CreditEnd end = at(from);
                State next = CreditEnd.TABLE.next(from, event);
                assertThat(end.move(event)).as("%s on %s", from, event).isEqualTo(next != null);
                assertThat(end.state()).isEqualTo(next == null ? from : next);
            }
        }
    }

    @Test
    @DisplayName("sends a FIN only when it is due, and is never undone")
    void said() {
        assertThat(CreditEnd.TABLE.rows())
                .allMatch(row -> row.to() != State.OPEN)
                .filteredOn(row -> row.event() == Event.SAY)
                .extracting(row -> row.from())
                .containsExactly(State.FIN_DUE, State.CLOSED_DUE);
        for (State state : State.values()) {
            CreditEnd end = at(state);
            assertThat(end.due()).isEqualTo(CreditEnd.TABLE.next(state, Event.SAY) != null);
            assertThat(end.open()).isEqualTo(state == State.OPEN);
        }
    }

    @Test
    @DisplayName("is complete once both ends have sent a FIN and got the acknowledgement")
    void agreed() {
        CreditEnd end = at(State.FIN_DUE);
        end.say();
        assertThat(end.agreed()).isFalse();
        end.peerSays(false);
        assertThat(end.agreed()).isFalse();
        assertThat(end.takeAnswer()).isTrue();
        assertThat(end.takeAnswer()).isFalse();
        assertThat(end.agreed()).isFalse();
        assertThat(end.answered()).isTrue();
        assertThat(end.answered()).isFalse();
        assertThat(end.agreed()).isTrue();
    }

    @Test
    @DisplayName("needs no FIN of this end once the peer is closed, also if one was due")
    void peerClosed() {
        for (State state : State.values()) {
            CreditEnd end = at(state);
            end.peerSays(true);
            assertThat(end.due()).isFalse();
            assertThat(end.open()).isFalse();
            assertThat(end.peerEnded()).isTrue();
            assertThat(end.saidAll()).isTrue();
        }
    }
}
