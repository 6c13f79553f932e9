package dev.jwarp.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables of docs/limits.md.
 *
 * @param limits the limits of all tables
 * @param guards the protections against attacks
 * @param others settings and classes that limit nothing a peer can use up, with the reason
 */
record LimitsPage(List<Limit> limits, List<List<String>> guards, List<List<String>> others) {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /**
     * One limit. {@code setBy} begins with a setting or the like, "follows: " and a setting, or "fixed", followed by
     * the classes that enforce the limit.
     */
    record Limit(
            String name,
            String value,
            String range,
            String setBy,
            String counters,
            String share,
            String beyond,
            String tests) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Reads the page. */
    static LimitsPage read() {
        try {
            return of(Files.readAllLines(Source.TOP.resolve("docs/limits.md")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LimitsPage of(List<String> lines) {
        List<Limit> limits = rows(lines, "limit").stream()
                .map(row -> new Limit(
                        row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5), row.get(6), row.get(7)))
                .toList();
        return new LimitsPage(limits, rows(lines, "guard"), rows(lines, "no limit"));
    }

    private static List<List<String>> rows(List<String> lines, String title) {
        List<List<String>> rows = new ArrayList<>();
        boolean inside = false;
        for (String line : lines) {
            if (line.startsWith("| " + title + " |")) {
                inside = true;
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("|---")) {
                String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
                rows.add(Arrays.stream(cells).map(String::strip).toList());
            }
        }
        return rows;
    }

    /** {@return the parts of a cell that are marked as code} */
    static List<String> codes(String cell) {
        return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    /** {@return the settings and classes that have a row} */
    Set<String> named() {
        return Stream.concat(limits.stream().map(Limit::setBy), others.stream().map(row -> row.get(0)))
                .flatMap(cell -> codes(cell).stream())
                .collect(Collectors.toSet());
    }
}
