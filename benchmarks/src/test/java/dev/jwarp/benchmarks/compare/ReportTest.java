package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A report")
class ReportTest {
    private static final Outcome MET = new Outcome(Some.HALF, 0.6, 0.55, 0.58, 0.65, 0.7, 7, 1, null);
    private static final Outcome MISSED = new Outcome(Some.HALF, 0.4, 0.3, 0.35, 0.42, 0.45, 7, 0, null);
    private static final Outcome MISSING = Outcome.notRun(Some.HALF, "theirs: it is not installed");
    private static final Outcome TOLD =
            Outcome.once(Comparison.figure("P11", "ours / published", "ours", Metric.RATE, Bound.REPORT), 0.3);

    @Test
    @DisplayName("has one line a goal, met only if all parts are, with what did not run behind it")
    void lines() {
        assertThat(Report.line("P1", List.of(MET))).isEqualTo("P1   ≥ 0.50  0.600 (0.550–0.700)  met");
        assertThat(Report.line("P1", List.of(MET, MISSED)))
                .isEqualTo("P1   ≥ 0.50 / ≥ 0.50  0.600 (0.550–0.700) / 0.400 (0.300–0.450)  not met");
        assertThat(Report.line("P1", List.of(MET, MISSING)))
                .endsWith("0.600 (0.550–0.700) / –  met; NOT RUN: theirs: it is not installed");
        assertThat(Report.line("P1", List.of(MISSING))).endsWith("–  NOT RUN: theirs: it is not installed");
        assertThat(Report.line("P11", List.of(TOLD))).endsWith("0.300  report");
    }

    @Test
    @DisplayName("prints goals in their order")
    void order() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Some.report(TOLD, MISSED).goals(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsSubsequence("P1  ", "not met", "P11 ", "report", "\n\nP1  ", "not met", "P11 ");
    }

    @Test
    @DisplayName("writes a row for each comparison and for each round")
    void tables(@TempDir Path folder) throws IOException {
        Some.report(MET).write(folder);
        assertThat(Files.readAllLines(folder.resolve("goals.tsv")))
                .containsExactly(
                        "goal\tcomparison\tbound\tmedian\tmin\tlower quarter\tupper quarter\tmax\trounds\tleft out\tverdict",
                        "P1\tours / theirs\t≥ 0.50\t0.600\t0.550\t0.580\t0.650\t0.700\t7\t1\tmet");
        assertThat(Files.readAllLines(folder.resolve("samples.tsv")))
                .hasSize(3)
                .element(1)
                .asString()
                .startsWith("Streams\tours\t0\t1000\t60000\t1000000\t0\t");
    }

    @Test
    @DisplayName("goes between the marks of the page and leaves the rest")
    void page() {
        String page = "# Before\n" + Page.BEGIN + "\nold\n" + Page.END + "\nafter\n";
        String text = Page.text(Some.report(MET), "A machine", List.of("rates.png"));
        String fresh = Page.between(page, text);
        assertThat(fresh)
                .startsWith("# Before\n" + Page.BEGIN)
                .endsWith(Page.END + "\nafter\n")
                .doesNotContain("old");
        assertThat(fresh)
                .contains("A machine.")
                .contains("| P1 | ours / theirs | ≥ 0.50 | 0.600 (0.550–0.700) | 0.580–0.650 | 7, 1 left out | met |")
                .contains("| Streams | theirs | `c y size=1` | 100.0 MB/s |")
                .contains("![rates](performance/rates.png)");
        assertThat(Page.between(fresh, text)).isEqualTo(fresh);
        assertThatThrownBy(() -> Page.between("# Before\n", text)).hasMessageContaining("lacks the lines");
    }

    @Test
    @DisplayName("draws what ran")
    void plots(@TempDir Path folder) throws IOException {
        assertThat(Plots.write(folder, Some.report(MET))).containsExactly("rates.png");
        assertThat(ImageIO.read(folder.resolve("rates.png").toFile()).getWidth())
                .isPositive();
        assertThat(Plots.write(folder, Some.report(MISSING))).isEmpty();
    }
}
