package dev.jwarp.tools.stat;

import dev.jwarp.verbs.ObservedRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One line of results. Text and JSON are both made from it, so they cannot differ.
 *
 * @param fields names and values in order
 */
record ObservedLine(Map<String, Object> fields) {
    /** The fields that are shown without {@code -d}, by the kind of row; {@code -d} shows all fields. */
    private static final Map<String, List<String>> BRIEF = Map.of(
            "link", List.of("link", "state", "physical_state", "netdev"),
            "ctx", List.of("dev", "ctxn", "progress"),
            "pd", List.of("dev", "pdn", "users", "ctxn"),
            "cq", List.of("dev", "cqn", "cqe", "users", "ctxn"),
            "mr", List.of("dev", "mrn", "mrlen", "pdn", "ctxn"),
            "srq", List.of("dev", "srqn", "type", "pdn", "ctxn"),
            "qp", List.of("link", "lqpn", "type", "state", "iwarp-state", "pdn", "src-addr", "dst-addr"),
            "cm_id", List.of("link", "lqpn", "qp-type", "state", "ps", "src-addr", "dst-addr"),
            "ah", List.of("dev", "lqpn", "dst-addr", "rqpn", "group"));

    /** {@return the line of a row} */
    static ObservedLine of(ObservedRow row, boolean details) {
        Map<String, Object> shown = new LinkedHashMap<>();
        List<String> brief =
                BRIEF.getOrDefault(row.object(), List.copyOf(row.fields().keySet()));
        for (String name : brief) {
            Object value = row.fields().get(name);
            if (value != null) {
                shown.put(name, value);
            }
        }
        if (details) {
            row.fields().forEach(shown::putIfAbsent);
            // The order of the links shows the index.
            shown.remove("ifindex");
        }
        return new ObservedLine(shown);
    }

    /** {@return this line with the process at the end} */
    ObservedLine of(Object pid, String comm) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put("pid", pid);
        more.put("comm", comm);
        return new ObservedLine(more);
    }

    /** {@return names and values, with blanks} */
    String text() {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + " " + field.getValue())
                .collect(Collectors.joining(" "));
    }

    /** {@return the fields for JSON, with {@code ifname} and {@code port} in place of a link, as in {@code rdma}} */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (name.equals("link") || name.equals("dev")) {
                String[] parts = value.toString().split("/", 2);
                json.put("ifname", parts[0]);
                if (parts.length > 1 && parts[1].chars().allMatch(Character::isDigit)) {
                    json.put("port", Long.valueOf(parts[1]));
                }
            } else {
                json.put(name, value);
            }
        });
        return json;
    }
}
