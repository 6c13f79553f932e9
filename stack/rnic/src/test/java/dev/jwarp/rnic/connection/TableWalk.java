package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Transitions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Checks an object against its transition table: takes each row, and checks that other events change nothing. */
public final class TableWalk {
    private TableWalk() {}

    /** A new object with transitions: a function that applies an event, and one that returns the state. */
    public record Mover<S, E>(Predicate<E> move, Supplier<S> state) {}

    public static <S extends Enum<S>, E extends Enum<E>> void walk(
            Transitions<S, E> table, Class<S> states, Class<E> events, Supplier<Mover<S, E>> fresh) {
        Map<S, List<E>> ways = ways(table, states, fresh.get().state.get());
        for (S from : states.getEnumConstants()) {
            assertThat(ways).as("reachable states").containsKey(from);
            for (E event : events.getEnumConstants()) {
                Mover<S, E> mover = fresh.get();
                ways.get(from)
                        .forEach(step -> assertThat(mover.move.test(step))
                                .as(step + " is a row")
                                .isTrue());
                assertThat(mover.state.get()).isEqualTo(from);
                S next = table.next(from, event);
                assertThat(mover.move.test(event)).as(event + " in " + from).isEqualTo(next != null);
                assertThat(mover.state.get())
                        .as("after " + event + " in " + from)
                        .isEqualTo(next == null ? from : next);
            }
        }
    }

    /** {@return the shortest paths to all reachable states} */
    private static <S extends Enum<S>, E extends Enum<E>> Map<S, List<E>> ways(
            Transitions<S, E> table, Class<S> states, S start) {
        Map<S, List<E>> ways = new EnumMap<>(states);
        ways.put(start, List.of());
        List<S> found = new ArrayList<>(List.of(start));
        for (int i = 0; i < found.size(); i++) {
            S from = found.get(i);
            for (Transitions.Row<S, E> row : table.rows()) {
                if (row.from() == from && !ways.containsKey(row.to())) {
                    List<E> way = new ArrayList<>(ways.get(from));
                    way.add(row.event());
                    ways.put(row.to(), way);
                    found.add(row.to());
                }
            }
        }
        return ways;
    }

    /** {@return a drawing from the resources of these tests} */
    public static String drawing(String name) throws IOException {
        try (InputStream in = TableWalk.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
