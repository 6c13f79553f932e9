package dev.jwarp.conformance.decode;

import java.util.ArrayList;
import java.util.List;

/** The breaches that one item shows, collected while it is judged. */
@SuppressWarnings("AnnotateFormatMethod") // Error Prone's annotations are no dependency
final class Breaches {
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Adds a breach of a requirement.
     *
     * @param what the breach in words; with values it is a format
     */
    void add(String id, String what, Object... values) {
        findings.add(new Finding(id, values.length == 0 ? what : what.formatted(values)));
    }

    /** Adds a breach unless the requirement is kept. */
    void unless(boolean kept, String id, String what, Object... values) {
        if (!kept) {
            add(id, what, values);
        }
    }

    List<Finding> list() {
        return List.copyOf(findings);
    }
}
