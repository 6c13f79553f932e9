package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Rewrites the generated part of {@code measurements.md}, between two marks; the text around it stays. */
final class Page {
    static final String BEGIN = "<!-- from here: made by benchmarks/compare -->";
    static final String END = "<!-- to here: made by benchmarks/compare -->";

    private Page() {}

    static void rewrite(Path docs, Report report) throws IOException {
        Path page = docs.resolve("measurements.md");
        String before = Files.readString(page);
        List<String> plots = Plots.write(docs.resolve("performance"), report);
        Files.writeString(page, between(before, text(report, Machine.describe(), plots)));
    }

    /** {@return {@code page} with that text between the marks} */
    static String between(String page, String text) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException(
                    "the page lacks the lines " + BEGIN + " and " + END + " with the measured part between them");
        }
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + text + "\n" + page.substring(end);
    }

    static String text(Report report, String machine, List<String> plots) {
        StringBuilder text = new StringBuilder(machine).append(".\n");
        if (report.quick()) {
            text.append("Short samples (`--quick`): for a first look only.\n");
        }
        text.append("\n| goal | ours / theirs | asked | median (least–most) | middle half | rounds | |\n")
                .append("|---|---|---|---|---|---|---|\n");
        report.byGoal().values().stream().flatMap(List::stream).forEach(outcome -> text.append(row(outcome)));
        for (String plot : plots) {
            text.append("\n![")
                    .append(plot.replace(".png", "").replace('-', ' '))
                    .append("](performance/");
            text.append(plot).append(")\n");
        }
        text.append(
                        "\nThe contenders and their commands: `java` and `c` are words for the contenders of `benchmarks`, and\n")
                .append(
                        "`jwarp.` begins a setting.\n\n| workload | contender | command | median |\n|---|---|---|---|\n");
        report.samples().forEach((workload, samples) -> text.append(contenders(workload, samples)));
        text.append("\nAll rounds: `samples.tsv` and `goals.tsv` at `--out`.\n");
        return text.toString();
    }

    private static String row(Outcome outcome) {
        Comparison comparison = outcome.comparison();
        String rounds = outcome.rounds() + (outcome.leftOut() > 0 ? ", " + outcome.leftOut() + " left out" : "");
        return "| " + comparison.goal() + " | " + comparison.label() + " | "
                + comparison.bound().text() + " | " + outcome.figure() + " | " + outcome.middleHalf() + " | " + rounds
                + " | "
                + outcome.verdict()
                + " |\n";
    }

    private static String contenders(Workload workload, Samples samples) {
        StringBuilder rows = new StringBuilder();
        Map<String, String> absent = samples.absent();
        for (Workload.Entry entry : workload.contenders()) {
            String figure = Report.medians(entry.name(), samples, workload.comparisons());
            if (!figure.isEmpty()) {
                rows.append("| ")
                        .append(workload.title())
                        .append(" | ")
                        .append(entry.name())
                        .append(" | `")
                        .append(entry.command())
                        .append("` | ")
                        .append(absent.containsKey(entry.name()) ? "–" : figure)
                        .append(" |\n");
            }
        }
        return rows.toString();
    }
}
