package dev.jwarp.verbs;

import java.util.List;

/**
 * What exists in a running process: devices, what was made from them, counters. Nothing stops while it is read, so one
 * row may be a moment older than the next.
 *
 * @param pid of the process
 * @param rows all there is, in order
 */
public record Observation(long pid, List<ObservedRow> rows) {
    /**
     * Copies the rows.
     *
     * @param pid of the process
     * @param rows all there is, in order
     */
    public Observation {
        rows = List.copyOf(rows);
    }

    /**
     * {@return the rows of one kind, in order}
     *
     * @param object the kind of object
     */
    public List<ObservedRow> all(String object) {
        return rows.stream().filter(row -> row.object().equals(object)).toList();
    }
}
