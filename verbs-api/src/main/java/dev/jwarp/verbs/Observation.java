package dev.jwarp.verbs;

import java.util.List;

/**
 * A snapshot of a running process: its devices, their objects and counters. The process runs on while the snapshot is
 * taken, so rows may differ in age.
 *
 * @param pid process id
 * @param rows all rows, in order
 */
public record Observation(long pid, List<ObservedRow> rows) {
    /**
     * Copies the rows.
     *
     * @param pid process id
     * @param rows all rows, in order
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
