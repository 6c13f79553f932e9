package dev.jwarp.conformance.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Known deviations: a file with a case, requirement or section in each line, then blanks, then the reason. Empty lines and lines that begin
 * with {@code #} are ignored. The first line that names a case excludes it. An excluded case still runs, so that a
 * report shows when the deviation is gone. A {@code !} before the name prevents the run, for cases that would end the
 * device.
 */
public final class Exclusions {
    /** Nothing is excluded. */
    public static final Exclusions NONE = new Exclusions(Map.of());

    private static final String VETO = "!";

    private final Map<String, String> reasons;

    private Exclusions(Map<String, String> reasons) {
        this.reasons = reasons;
    }

    /** Reads a file. */
    public static Exclusions read(Path file) throws IOException {
        Map<String, String> reasons = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split("\\s+", 2);
            if (parts.length < 2) {
                throw new IOException(file + ":" + (i + 1) + ": " + line + " needs a reason after the name");
            }
            reasons.put(parts[0], parts[1]);
        }
        return new Exclusions(reasons);
    }

    /** The reason why the failure of this case is known; empty if it is not known. */
    public String reason(TestCase test) {
        return reason(test, "");
    }

    /** The reason why this case must not run; empty if it may run. */
    public String veto(TestCase test) {
        return reason(test, VETO);
    }

    /** The filters of the file that match none of these cases. */
    public List<String> idle(List<TestCase> cases) {
        return reasons.keySet().stream()
                .filter(f -> cases.stream().noneMatch(c -> c.matches(f.startsWith(VETO) ? f.substring(1) : f)))
                .toList();
    }

    private String reason(TestCase test, String mark) {
        for (Map.Entry<String, String> e : reasons.entrySet()) {
            String filter = e.getKey();
            if (filter.startsWith(VETO) == mark.equals(VETO) && test.matches(filter.substring(mark.length()))) {
                return e.getValue();
            }
        }
        return "";
    }
}
