package dev.jwarp.torture.threads;

import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaProvider;
import java.util.List;

/** Checks by the resources that the process reports that no object is left at the end. */
final class Leftovers {
    private Leftovers() {}

    static void check() {
        List<ObservedRow> rows =
                RdmaProvider.load().observe(ProcessHandle.current().pid()).all("resource");
        if (rows.isEmpty()) {
            throw new AssertionError("The process does not report its resources");
        }
        for (ObservedRow row : rows) {
            for (String object : List.of("pd", "cq", "qp", "mr", "mw", "srq", "cm_id", "ah")) {
                if (row.number(object) != 0) {
                    throw new AssertionError("Everything was closed, but this is left: " + row);
                }
            }
        }
    }
}
