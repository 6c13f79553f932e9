package dev.jwarp.tools.study;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.figure.Drawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** Writes the results of studies into a folder: one page, which needs no other file, and CSV, SVG and PNG. */
final class StudyPage {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>jwarp study</title>
            <style>
            :root { color-scheme: light dark; --line: #ccc; --found: #00704a; --not: #a33; --none: #666; }
            @media (prefers-color-scheme: dark) {
              :root { --line: #444; --found: #3fb98a; --not: #f07a6a; --none: #999; }
            }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; margin: 1rem 0; }
            th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem; text-align: right; }
            th:first-child, td:first-child, .claims td, .claims th { text-align: left; }
            td { vertical-align: top; }
            img { max-width: 100%; background: #fff; border-radius: 6px; }
            .scroll { overflow-x: auto; }
            .found { color: var(--found); } .not-found, .error { color: var(--not); } .not-run { color: var(--none); }
            </style>
            </head>
            <body>
            """;

    private StudyPage() {}

    /** Writes picture and figures of one study, so that later failures do not lose them. */
    static void draw(Path folder, StudyReport report, List<String> remarks) throws IOException {
        if (!report.samples().rows().isEmpty()) {
            Files.write(folder.resolve(report.study().name() + ".csv"), report.csv());
            Drawing.write(StudyFigure.of(report, remarks), folder, "jwarp study");
        }
    }

    /**
     * Writes the page, with the pictures that {@link #draw} wrote.
     *
     * @param remarks the machine and the command
     */
    static void write(Path folder, List<StudyReport> reports, List<String> remarks) throws IOException {
        StringBuilder page = new StringBuilder(HEAD).append("<h1>Results of the literature, checked</h1>\n");
        remarks.forEach(remark -> page.append("<p>").append(text(remark)).append("</p>\n"));
        page.append("<div class=\"scroll\">\n");
        claims(page, reports);
        page.append("</div>\n");
        for (StudyReport report : reports) {
            String name = report.study().name();
            page.append("<h2 id=\"").append(text(name)).append("\">");
            page.append(text(name + ": " + report.study().title())).append("</h2>\n");
            if (!report.samples().rows().isEmpty()) {
                picture(page, folder.resolve(name + ".svg"), report.study().title());
                page.append("<details><summary>Figures: median (least to most)</summary>\n<div class=\"scroll\">");
                table(page, report.table());
                page.append("</div></details>\n");
            }
        }
        page.append("</body>\n</html>\n");
        Files.writeString(folder.resolve("index.html"), page, UTF_8);
        Files.write(folder.resolve("claims.md"), StudyReport.markdown(reports));
    }

    private static void picture(StringBuilder page, Path svg, String title) throws IOException {
        if (Files.exists(svg)) { // it could be drawn
            String bytes = Base64.getEncoder().encodeToString(Files.readAllBytes(svg));
            page.append("<p><img alt=\"").append(text(title));
            page.append("\" src=\"data:image/svg+xml;base64,").append(bytes).append("\"></p>\n");
        }
    }

    private static void claims(StringBuilder page, List<StudyReport> reports) {
        page.append("<table class=\"claims\">\n<tr><th>study</th><th>claim</th><th>published</th>"
                + "<th>here</th><th>result</th></tr>\n");
        for (StudyReport report : reports) {
            for (ClaimVerdict verdict : report.verdicts()) {
                String name = text(report.study().name());
                page.append("<tr><td><a href=\"#")
                        .append(name)
                        .append("\">")
                        .append(name)
                        .append("</a></td><td>");
                page.append(text(verdict.claim().says())).append("<br><small>");
                page.append(text(verdict.claim().source())).append("</small></td><td>");
                page.append(text(verdict.claim().published())).append("</td><td>");
                page.append(text(verdict.ours())).append("</td><td><b class=\"");
                page.append(verdict.outcome().word.toLowerCase(Locale.ROOT).replace(' ', '-'));
                page.append("\">").append(verdict.outcome().word).append("</b>");
                page.append(verdict.reason().isEmpty() ? "" : "<br><small>" + text(verdict.reason()) + "</small>");
                page.append("</td></tr>\n");
            }
        }
        page.append("</table>\n");
    }

    private static void table(StringBuilder page, List<List<String>> rows) {
        page.append("<table>\n");
        for (int i = 0; i < rows.size(); i++) {
            String cell = i == 0 ? "th" : "td";
            page.append("<tr>");
            for (String each : rows.get(i)) {
                page.append('<')
                        .append(cell)
                        .append('>')
                        .append(text(each))
                        .append("</")
                        .append(cell)
                        .append('>');
            }
            page.append("</tr>\n");
        }
        page.append("</table>\n");
    }

    private static String text(String plain) {
        return plain.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
