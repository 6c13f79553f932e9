package dev.jwarp.base;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A state machine as a table: in a state, an event leads to another state. Transitions without a row are not allowed.
 * Immutable; lookup allocates nothing.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class Transitions<S extends Enum<S>, E extends Enum<E>> {
    /**
     * One transition: in a state, an event leads to another state.
     *
     * @param from the state before
     * @param event what happens
     * @param to the state after; may be the same
     */
    public record Row<S, E>(S from, E event, S to) {}

    private final Class<S> states;
    private final List<Row<S, E>> rows;
    private final Map<S, Map<E, S>> table;

    /**
     * Creates a table.
     *
     * @param states all states
     * @param events all events
     * @param rows the table; at most one row for each state and event
     */
    public Transitions(Class<S> states, Class<E> events, List<Row<S, E>> rows) {
        this.states = states;
        this.rows = List.copyOf(rows);
        table = new EnumMap<>(states);
        for (Row<S, E> row : rows) {
            S before = table.computeIfAbsent(row.from, state -> new EnumMap<>(events))
                    .put(row.event, row.to);
            if (before != null) {
                throw new IllegalArgumentException(row.from + " has two ways to go on " + row.event);
            }
        }
    }

    /** {@return the row "in {@code from}, {@code event} leads to {@code to}"} */
    public static <S, E> Row<S, E> row(S from, E event, S to) {
        return new Row<>(from, event, to);
    }

    /** {@return the next state; null if the event is not allowed in this state} */
    public @Nullable S next(S from, E event) {
        Map<E, S> row = table.get(from);
        return row == null ? null : row.get(event);
    }

    /** {@return the rows, in their order} */
    public List<Row<S, E>> rows() {
        return rows;
    }

    /** {@return the table as a drawing for Graphviz, of this name} */
    public String toDot(String name) {
        StringBuilder dot = new StringBuilder("digraph ").append(name).append(" {\n");
        for (S state : states.getEnumConstants()) {
            dot.append("  ").append(state).append(";\n");
        }
        for (Row<S, E> row : rows) {
            dot.append("  ")
                    .append(row.from)
                    .append(" -> ")
                    .append(row.to)
                    .append(" [label=\"")
                    .append(row.event)
                    .append("\"];\n");
        }
        return dot.append("}\n").toString();
    }
}
