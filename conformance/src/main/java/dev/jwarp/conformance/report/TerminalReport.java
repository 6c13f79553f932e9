package dev.jwarp.conformance.report;

import dev.jwarp.conformance.report.Findings.Finding;
import dev.jwarp.conformance.suite.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A run for people at a terminal: one line for each case as it ends, then the failures in full, then the sums by
 * document.
 */
public final class TerminalReport {
    private TerminalReport() {}

    /** The line of a case. */
    public static String line(Result r) {
        String mark =
                switch (r.verdict()) {
                    case PASS -> r.excluded().isEmpty() ? "ok  " : "ok! ";
                    case FAIL -> r.failed() ? "FAIL" : "fail";
                    case SKIPPED -> "skip";
                    case INCONCLUSIVE -> r.known() ? "??  " : "????";
                };
        String line = mark + "  " + r.test().id() + "  " + r.test().title();
        String text =
                switch (r.verdict()) {
                    case PASS ->
                        r.excluded().isEmpty() ? line : line + " (passes although known to fail: " + r.excluded() + ")";
                    case FAIL -> r.failed() ? line : line + " (known: " + r.excluded() + ")";
                    default -> line + ": " + r.actual() + (r.known() ? " (known: " + r.excluded() + ")" : "");
                };
        return Story.printable(text);
    }

    /** The first lines of a report: when, where and how the run was made. */
    public static List<String> origin(Findings.Origin origin) {
        return Stream.of(
                        "jwarp conform " + origin.version() + ", " + origin.began() + ", on " + origin.host(),
                        origin.command())
                .map(Story::printable)
                .toList();
    }

    /** The survey of the device, as a table. */
    public static List<String> survey(Findings.RoleFacts found) {
        List<String> lines = new ArrayList<>();
        lines.add("The device as " + found.role() + ":");
        int width =
                found.facts().stream().mapToInt(f -> f.name().length()).max().orElse(0);
        found.facts().forEach(f -> lines.add(("  %-" + (width + 2) + "s%s").formatted(f.name(), f.value())));
        return lines.stream().map(Story::printable).toList();
    }

    /** The full report of a failure. */
    public static List<String> failure(Finding finding) {
        List<String> lines = new ArrayList<>();
        lines.add(finding.id() + "  " + finding.title());
        for (Findings.Asked asked : finding.requirements()) {
            lines.add("  requirement  " + asked.id() + " (" + asked.source() + ", " + asked.strength() + "): "
                    + asked.text());
        }
        if (!finding.expected().isEmpty()) {
            lines.add("  expected     " + finding.expected());
        }
        lines.add("  actual       " + finding.actual());
        finding.conversations().forEach(c -> lines.addAll(Story.of(c)));
        return lines.stream().map(Story::printable).toList();
    }

    /** The broken requirements, each with the number of cases that it explains; empty if there are none. */
    public static List<String> causes(Findings findings) {
        List<String> lines = new ArrayList<>();
        for (Findings.Cause cause : findings.causes()) {
            lines.add(cause.requirement().id() + "  " + cause.requirement().text() + " ("
                    + cause.requirement().source() + ")");
            lines.add("  " + reach(cause.failed(), cause.explained()));
            lines.add("  shown by " + cause.shownBy() + ": "
                    + (cause.expected().isEmpty() ? "" : "expected " + cause.expected() + ", got ") + cause.actual());
        }
        if (!lines.isEmpty()) {
            lines.add(
                    0,
                    count(findings.causes().size(), "requirement is", "requirements are") + " broken, as far as seen:");
        }
        return lines.stream().map(Story::printable).toList();
    }

    private static String reach(int failed, int explained) {
        String because = " inconclusive because of it";
        if (failed == 0) {
            return count(explained, "case is", "cases are") + because + "; none of its own failed here";
        }
        return count(failed, "case fails", "cases fail")
                + (explained == 0 ? "" : ", " + count(explained, "other is", "others are") + because);
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    /** The sums of each document, the duration, and the total. */
    public static List<String> summary(Findings findings) {
        List<String> lines = new ArrayList<>();
        for (Findings.DocumentTotals own : findings.documents()) {
            lines.add("%-9s %s".formatted(own.document(), own.totals().line()));
        }
        lines.add(String.format(Locale.ROOT, "Finished in %.1f seconds", findings.seconds()));
        if (findings.cases().size() < findings.planned()) {
            lines.add("%d of %d cases were not run"
                    .formatted(findings.planned() - findings.cases().size(), findings.planned()));
        }
        lines.add(findings.totals().line());
        return lines;
    }

    /** The result of a failed run in a sentence. */
    public static String sentence(Totals totals) {
        return totals.failed() > 0 ? "the peer does not conform: " + totals.line() : totals.headline();
    }

    /** The faults that leave most of the cases without a result, one sentence each. */
    public static List<String> gross(Findings findings) {
        return findings.causes().stream()
                .filter(Findings.Cause::gross)
                .map(Findings.Cause::sentence)
                .map(Story::printable)
                .toList();
    }

    /** Whether the run has an unexpected failure or an unexpected inconclusive case. */
    public static boolean failed(List<Result> results) {
        return results.stream().anyMatch(r -> r.failed() || r.unclear());
    }
}
