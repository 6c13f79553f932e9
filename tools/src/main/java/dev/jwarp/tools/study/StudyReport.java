package dev.jwarp.tools.study;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.jwarp.tools.cli.Table;
import dev.jwarp.tools.figure.RunSpread;
import dev.jwarp.tools.study.StudyCatalogue.Study;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A finished or interrupted study.
 *
 * @param study the study
 * @param samples the measured rows, and the contenders without rows with the reason
 * @param verdicts about its claims
 */
record StudyReport(Study study, @JsonUnwrapped StudySamples samples, List<ClaimVerdict> verdicts) {
    static StudyReport of(Study study, StudySamples samples) {
        return new StudyReport(
                study,
                samples,
                study.claims().stream()
                        .map(claim -> ClaimVerdict.of(claim, samples))
                        .toList());
    }

    /** {@return the header of the table, and a row for each point with medians, least and most} */
    List<List<String>> table() {
        List<List<String>> table = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("", study.x()));
        header.addAll(study.figures());
        table.add(header);
        for (String name : samples.names()) {
            List<SortedMap<Double, RunSpread>> columns = study.figures().stream()
                    .map(figure -> samples.points(name, figure))
                    .toList();
            SortedSet<Double> places = new TreeSet<>();
            columns.forEach(column -> places.addAll(column.keySet()));
            for (double x : places) {
                List<String> row = new ArrayList<>(List.of(name, ClaimVerdict.number(x)));
                columns.forEach(column -> row.add(cell(column.get(x))));
                table.add(row);
            }
        }
        return table;
    }

    private static String cell(@Nullable RunSpread spread) {
        if (spread == null) {
            return "-";
        }
        String median = ClaimVerdict.number(spread.median());
        return spread.most() > spread.least()
                ? median + " (" + ClaimVerdict.number(spread.least()) + " to " + ClaimVerdict.number(spread.most())
                        + ")"
                : median;
    }

    /** {@return the study as text} */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("", study.name() + ": " + study.title()));
        List<List<String>> cells = table();
        Table table = new Table(cells.get(0).toArray(String[]::new));
        cells.subList(1, cells.size()).forEach(row -> table.row(row.toArray(String[]::new)));
        lines.addAll(table.lines());
        samples.failed().forEach((name, reason) -> lines.add("ERROR: " + name + ": " + reason));
        for (ClaimVerdict verdict : verdicts) {
            lines.add(verdict.outcome().word + ": " + verdict.claim().says() + " Published: "
                    + verdict.claim().published() + "; here: " + verdict.ours() + "."
                    + (verdict.reason().isEmpty() ? "" : " " + verdict.reason()));
        }
        return lines;
    }

    /** {@return a header, and a line for each figure of each row} */
    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("study,points,x,round,load,figure,value"));
        for (StudySamples.Row row : samples.rows()) {
            row.figures()
                    .forEach((figure, value) -> lines.add(String.format(
                            Locale.ROOT,
                            "%s,\"%s\",%s,%d,%.1f,%s,%s",
                            study.name(),
                            row.name(),
                            ClaimVerdict.number(row.x()),
                            row.round(),
                            row.load(),
                            figure,
                            value)));
        }
        return lines;
    }

    /** {@return one line a claim, as a table in Markdown} */
    static List<String> markdown(List<StudyReport> reports) {
        List<String> lines =
                new ArrayList<>(List.of("| study | claim | published | here | |", "|---|---|---|---|---|"));
        for (StudyReport report : reports) {
            for (ClaimVerdict verdict : report.verdicts) {
                lines.add("| " + report.study.name() + " | " + verdict.claim().says() + " ("
                        + verdict.claim().source() + ") | " + verdict.claim().published() + " | " + verdict.ours()
                        + " | " + verdict.outcome().word
                        + (verdict.reason().isEmpty() ? "" : ": " + verdict.reason()) + " |");
            }
        }
        return lines;
    }
}
