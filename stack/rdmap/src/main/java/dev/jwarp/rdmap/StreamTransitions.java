package dev.jwarp.rdmap;

import static dev.jwarp.rdmap.StreamEvent.CLOSE;
import static dev.jwarp.rdmap.StreamEvent.ESTABLISHED;
import static dev.jwarp.rdmap.StreamEvent.FAILED;
import static dev.jwarp.rdmap.StreamEvent.LLP_CLOSED;
import static dev.jwarp.rdmap.StreamEvent.LLP_LOST;
import static dev.jwarp.rdmap.StreamEvent.TERMINATE_RECEIVED;
import static dev.jwarp.rdmap.StreamEvent.TERMINATE_SENT;
import static dev.jwarp.rdmap.StreamState.CLOSING;
import static dev.jwarp.rdmap.StreamState.ERROR;
import static dev.jwarp.rdmap.StreamState.IDLE;
import static dev.jwarp.rdmap.StreamState.RTS;
import static dev.jwarp.rdmap.StreamState.TERMINATE;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The whole life of a stream as one table. What is not in it does not happen: it is refused and counted. */
final class StreamTransitions {
    /** One row: in this state, this event leads to that state. */
    record Transition(StreamState from, StreamEvent event, StreamState to) {}

    static final List<Transition> ALL = List.of(
            on(IDLE, ESTABLISHED, RTS),
            on(IDLE, FAILED, ERROR),
            on(RTS, CLOSE, CLOSING),
            on(RTS, TERMINATE_SENT, TERMINATE),
            on(RTS, TERMINATE_RECEIVED, TERMINATE),
            on(RTS, FAILED, ERROR),
            on(RTS, LLP_CLOSED, IDLE),
            on(RTS, LLP_LOST, ERROR),
            on(CLOSING, TERMINATE_SENT, TERMINATE),
            on(CLOSING, TERMINATE_RECEIVED, TERMINATE),
            on(CLOSING, FAILED, ERROR),
            on(CLOSING, LLP_CLOSED, IDLE),
            on(CLOSING, LLP_LOST, ERROR),
            on(TERMINATE, FAILED, ERROR),
            on(TERMINATE, LLP_CLOSED, ERROR),
            on(TERMINATE, LLP_LOST, ERROR));

    private static final Map<StreamState, Map<StreamEvent, StreamState>> TABLE = table();

    private StreamTransitions() {}

    /** {@return where the event leads, or null if it is not allowed there} */
    static @Nullable StreamState next(StreamState from, StreamEvent event) {
        Map<StreamEvent, StreamState> row = TABLE.get(from);
        return row == null ? null : row.get(event);
    }

    /** {@return the table as a drawing for Graphviz} */
    static String toDot() {
        StringBuilder dot = new StringBuilder("digraph stream {\n");
        for (StreamState state : StreamState.values()) {
            dot.append("  ").append(state).append(";\n");
        }
        for (Transition row : ALL) {
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

    private static Transition on(StreamState from, StreamEvent event, StreamState to) {
        return new Transition(from, event, to);
    }

    private static Map<StreamState, Map<StreamEvent, StreamState>> table() {
        Map<StreamState, Map<StreamEvent, StreamState>> table = new EnumMap<>(StreamState.class);
        for (Transition row : ALL) {
            StreamState before = table.computeIfAbsent(row.from, state -> new EnumMap<>(StreamEvent.class))
                    .put(row.event, row.to);
            if (before != null) {
                throw new IllegalStateException(row.from + " has two ways to go on " + row.event);
            }
        }
        return table;
    }
}
