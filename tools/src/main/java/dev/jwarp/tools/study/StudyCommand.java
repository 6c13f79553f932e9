package dev.jwarp.tools.study;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.RowProgress;
import dev.jwarp.tools.cli.Table;
import dev.jwarp.tools.cli.ThisJvm;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.study.StudyCatalogue.Study;
import dev.jwarp.tools.study.work.ApplicationParameters;
import dev.jwarp.tools.study.work.Applications;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp study}: measures what the literature measured, and says whether its results are found here. */
@Command(
        name = "study",
        description = {
            "Check results of the literature on this machine: measure, and compare with the published figure.",
            "'jwarp study list' shows the studies. Contenders take turns, each in a JVM of its own. A claim is found if the"
                    + " ratio of medians has the sign and order that the claim states."
        })
public final class StudyCommand extends ToolCommand {
    private static final int MOST_ROUNDS = 100;

    private final Class<?> main;
    private final StudyCatalogue catalogue;
    private final List<StudyReport> reports = new ArrayList<>();

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "list, all, or names of studies.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--quick", description = "Short measurements, once each: the shapes of the results, in minutes.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "NUMBER",
            description = "Turns of each contender, 1 to 100; default 3, with --quick 1.")
    private @Nullable Integer rounds;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "Write a page (index.html), pictures, figures (CSV) and the claims (claims.md) here.")
    private @Nullable Path out;

    @Option(names = "--quiet", description = "Show no progress: no bar on a terminal, no line each second elsewhere.")
    private boolean quiet;

    @Option(names = "--work", hidden = true, paramLabel = "NAME", description = "Be a contender: run this application.")
    private @Nullable String work;

    /** @param main the class of this command, for the JVMs of contenders */
    public StudyCommand(Console console, Class<?> main) {
        this(console, main, StudyCatalogue.load());
    }

    StudyCommand(Console console, Class<?> main, StudyCatalogue catalogue) {
        super(console);
        this.main = main;
        this.catalogue = catalogue;
    }

    @Override
    protected void execute() {
        if (work != null) {
            work(work);
            return;
        } else if (names.equals(List.of("list"))) {
            list();
            return;
        }
        List<Study> studies = catalogue.named(names);
        int turns = rounds == null ? quick ? 1 : 3 : rounds;
        if (turns < 1 || turns > MOST_ROUNDS) {
            throw ToolFailure.usage("--rounds " + turns + ": 1 to " + MOST_ROUNDS);
        }
        prepare();
        line(remarks().get(0));
        try {
            for (Study study : studies) {
                StudySamples samples = new StudySamples();
                try {
                    measure(study, turns, samples);
                } finally {
                    if (interrupted()) {
                        samples.notRun("", "interrupted");
                    }
                    StudyReport report = StudyReport.of(study, samples);
                    reports.add(report);
                    report.lines().forEach(this::line);
                    draw(report);
                }
            }
        } finally {
            write();
        }
        List<String> errors = new ArrayList<>();
        for (StudyReport report : reports) {
            report.samples().failed().forEach((name, reason) -> errors.add(name + ": " + reason));
            report.verdicts().stream()
                    .filter(verdict -> verdict.outcome() == ClaimVerdict.Outcome.ERROR)
                    .map(ClaimVerdict::reason)
                    .filter(reason -> !errors.contains(reason))
                    .forEach(errors::add);
        }
        if (!errors.isEmpty()) {
            throw ToolFailure.failed("claims could not be checked", errors.toArray(String[]::new));
        }
    }

    /** The rows of a contender. */
    private record Rows(List<Map<String, Double>> rows) {}

    private void work(String name) {
        try {
            Map<String, Double> figures = Applications.of(name, new ApplicationParameters(names), console)
                    .run();
            result = new Rows(List.of(figures));
            new TreeMap<>(figures).forEach((figure, value) -> line(figure + ": " + ClaimVerdict.number(value)));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw ToolFailure.failed("the application " + name + " failed: " + e);
        }
    }

    private void list() {
        Table table = new Table("study", "claims", "about").left();
        catalogue
                .studies()
                .forEach(study ->
                        table.row(study.name(), Integer.toString(study.claims().size()), study.title()));
        table.lines().forEach(this::line);
        result = catalogue.studies();
    }

    private void measure(Study study, int turns, StudySamples samples) {
        StudyRun run = new StudyRun(console, main, quick, turns);
        RowProgress progress = new RowProgress(console, run.size(study), RowProgress.onTerminal(console), quiet);
        try {
            run.run(study, samples, progress);
        } finally {
            progress.end();
        }
    }

    private void prepare() {
        try {
            if (out != null) {
                Files.createDirectories(out);
                Drawing.check("; or leave out --out");
            }
        } catch (IOException e) {
            throw ToolFailure.usage("--out " + out + ": the folder cannot be made: " + e.getMessage());
        }
    }

    private void draw(StudyReport report) {
        try {
            if (out != null) {
                StudyPage.draw(out, report, remarks());
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the results of " + report.study().name() + " cannot be written: " + e);
        }
    }

    private void write() {
        try {
            if (out != null) {
                StudyPage.write(out, reports, remarks());
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the results cannot be written: " + e);
        }
    }

    private List<String> remarks() {
        return List.of(
                ThisJvm.machine(),
                "jwarp study " + String.join(" ", names) + (quick ? " --quick" : "")
                        + (rounds == null ? "" : " --rounds " + rounds),
                "Points are medians of the rounds, and whiskers show least and most."
                        + (quick ? " With --quick, measurements are too short to be compared." : ""));
    }

    @Override
    protected @Nullable Object result() {
        return result == null ? reports : result;
    }
}
