package dev.jwarp.verbs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of an {@link Observation}: a link, a queue pair, a counter. Names follow the {@code rdma} tool of iproute2
 * where it has them. Immutable.
 *
 * @param object kind of object: {@code process}, {@code link}, {@code resource} (the number of objects of each kind),
 *     {@code ctx}, {@code pd}, {@code mr}, {@code mw}, {@code cq}, {@code srq}, {@code qp}, {@code cm_id}, {@code ah},
 *     {@code counter}, {@code limit}, or {@code cut} (a kind has more objects than rows)
 * @param fields names and values in order; a value is a {@link Long} or a {@link String}
 */
public record ObservedRow(String object, Map<String, Object> fields) {
    /**
     * Copies the fields.
     *
     * @param object kind of object
     * @param fields names and values in order
     * @throws IllegalArgumentException if a value is neither a {@link Long} nor a {@link String}
     */
    public ObservedRow {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        fields.forEach((name, value) -> {
            if (!(value instanceof Long) && !(value instanceof String)) {
                throw new IllegalArgumentException(name + " of a row is a Long or a String, not " + value);
            }
        });
    }

    /**
     * {@return a row without fields}
     *
     * @param object kind of object
     */
    public static ObservedRow of(String object) {
        return new ObservedRow(object, Map.of());
    }

    /**
     * {@return this row with one more field}
     *
     * @param name name of the field
     * @param value value of the field
     */
    public ObservedRow with(String name, long value) {
        return with(name, (Object) value);
    }

    /**
     * {@return this row with one more field, or this row if there is no value}
     *
     * @param name name of the field
     * @param value value of the field
     */
    public ObservedRow with(String name, @Nullable String value) {
        return value == null ? this : with(name, (Object) value);
    }

    private ObservedRow with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put(name, value);
        return new ObservedRow(object, more);
    }

    /**
     * {@return the value as text; empty if there is no such field}
     *
     * @param name name of the field
     */
    public String text(String name) {
        Object value = fields.get(name);
        return value == null ? "" : value.toString();
    }

    /**
     * {@return the value; 0 if there is no such field or the value is no number}
     *
     * @param name name of the field
     */
    public long number(String name) {
        return fields.get(name) instanceof Long value ? value : 0;
    }
}
