package dev.jwarp.tools.study;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.RowProgress;
import dev.jwarp.tools.cli.ThisJvm;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.study.StudyCatalogue.Condition;
import dev.jwarp.tools.study.StudyCatalogue.Contender;
import dev.jwarp.tools.study.StudyCatalogue.Study;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the contenders of studies in turn, each command in a JVM of its own. */
final class StudyRun {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Far more than any command of the catalogue needs. */
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(15);

    /** Statuses of rows that do not count. */
    private static final Set<String> CUT = Set.of("cut", "failed");

    private static final String WHOLE_SECONDS = "0.5";
    private static final String QUICK_SECONDS = "0.2";

    private final Console console;
    private final Class<?> main;
    private final boolean quick;
    private final int rounds;

    /** A command of one contender at one point. */
    private record Turn(Contender contender, String name, double x, List<String> words) {}

    /**
     * @param main the class of the command, for the JVMs
     * @param quick whether measurements are short, at the points that claims need alone
     * @param rounds times that each contender has its turn
     */
    StudyRun(Console console, Class<?> main, boolean quick, int rounds) {
        this.console = console;
        this.main = main;
        this.quick = quick;
        this.rounds = rounds;
    }

    /**
     * Measures.
     *
     * @param samples gets the rows as they come, so that those of an interrupted run are kept
     * @param progress hears of each turn
     */
    void run(Study study, StudySamples samples, RowProgress progress) {
        List<Turn> turns = new ArrayList<>();
        for (Contender contender : study.contenders()) {
            String missing =
                    contender.needs() == null ? null : contender.needs().missing();
            if (missing == null) {
                turns.addAll(turns(study, contender));
            } else {
                samples.notRun(contender.point(null), missing);
            }
        }
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < turns.size(); i++) {
                // Another one begins in each round: what disturbs the beginning does not always disturb the same one.
                Turn turn = turns.get((i + round - 1) % turns.size());
                console.endIfAsked();
                if (!samples.failed().containsKey(turn.name())) {
                    progress.next((round - 1) * turns.size() + i, "jwarp " + String.join(" ", turn.words()));
                    take(study, turn, round, samples);
                }
            }
        }
    }

    /** {@return number of turns of a study} */
    int size(Study study) {
        return rounds
                * study.contenders().stream()
                        .mapToInt(contender -> turns(study, contender).size())
                        .sum();
    }

    private List<Turn> turns(Study study, Contender contender) {
        String command = quick ? Objects.requireNonNullElse(contender.quick(), contender.run()) : contender.run();
        String whole = study.with() == null ? command : command + " " + study.with();
        List<Double> all = Objects.requireNonNullElse(study.points(contender), List.of(Double.NaN));
        List<Double> places = quick
                ? all.stream().filter(x -> wanted(study, contender, all, x)).toList()
                : all;
        return places.stream()
                .map(x -> new Turn(
                        contender,
                        contender.point(null),
                        x,
                        List.of(whole.replace("{x}", ClaimVerdict.number(x))
                                .replace("{s}", quick ? QUICK_SECONDS : WHOLE_SECONDS)
                                .split(" +", -1))))
                .toList();
    }

    /**
     * {@return whether a quick run has this point: those that claims name; the first and the last one for a claim about
     * all points; the first one without a claim}
     */
    private static boolean wanted(Study study, Contender contender, List<Double> all, Double x) {
        List<Condition> about = study.claims().stream()
                .flatMap(claim -> claim.when().stream())
                .filter(condition -> Stream.of(condition.of(), condition.to()).anyMatch(contender.point(null)::equals))
                .toList();
        boolean first = x.equals(all.get(0));
        boolean last = x.equals(all.get(all.size() - 1));
        return about.isEmpty()
                ? first
                : about.stream()
                        .anyMatch(condition -> condition.at() == null
                                ? first || last
                                : x.equals(condition.at()) || x.equals(condition.toAt()));
    }

    private void take(Study study, Turn turn, int round, StudySamples samples) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        try {
            JsonNode document = document(turn.words());
            JsonNode rows = document.has("results") ? document.path("results") : document.at("/result/rows");
            for (JsonNode row : rows) {
                JsonNode x = row.path(study.x());
                if ((Double.isNaN(turn.x()) && !x.isNumber())
                        || CUT.contains(row.path("status").asText())) {
                    continue; // it is of no point, or of a part of the messages
                }
                Contender contender = turn.contender();
                String label = contender.series() == null
                        ? Objects.requireNonNullElse(contender.name(), "")
                        : row.path(contender.series()).asText();
                samples.add(new StudySamples.Row(
                        Objects.requireNonNullElse(contender.panel(), ""),
                        label,
                        contender.point(label),
                        Double.isNaN(turn.x()) ? x.asDouble() : turn.x(),
                        round,
                        load,
                        figures(study, row)));
            }
            if (rows.isEmpty()) {
                samples.failed(turn.name(), "jwarp " + String.join(" ", turn.words()) + " has no results");
            }
        } catch (ToolFailure e) {
            samples.failed(turn.name(), e.sentence());
        }
    }

    private static Map<String, Double> figures(Study study, JsonNode row) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String name : study.figures()) {
            JsonNode value = row.at("/" + name);
            if (value.isNumber()) {
                figures.put(name, value.asDouble());
            }
        }
        return figures;
    }

    /** {@return what the command prints with {@code --json}} */
    private JsonNode document(List<String> words) {
        Path folder = temporary();
        List<String> command = ThisJvm.command();
        command.add("-Djava.io.tmpdir=" + folder);
        command.add(main.getName());
        command.addAll(words);
        command.add("--json");
        String said = "jwarp " + String.join(" ", words);
        try {
            Path out = folder.resolve("out.json");
            Path err = folder.resolve("err.txt");
            try {
                int status = await(
                        new ProcessBuilder(command)
                                .redirectOutput(out.toFile())
                                .redirectError(err.toFile())
                                .start(),
                        said);
                if (status != 0) {
                    throw ToolFailure.failed(said + " ended with status " + status + ": " + beginning(err));
                }
                return MAPPER.readTree(out.toFile());
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw ToolFailure.failed(said + " cannot be run: " + e.getMessage());
        }
    }

    /** {@return a folder for all temporary files of a contender, which may be killed} */
    private static Path temporary() {
        try {
            return Files.createTempDirectory("jwarp-study");
        } catch (IOException e) {
            throw ToolFailure.setup("no folder for temporary files can be made: " + e.getMessage());
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** {@return the exit status} Ends the process if the user ends the study, or if it takes too long. */
    private int await(Process process, String said) {
        long began = console.nanoTime().getAsLong();
        try {
            while (process.isAlive()) {
                if (console.interruption().requested()) {
                    console.endIfAsked();
                } else if (console.nanoTime().getAsLong() - began > MOST_NANOS) {
                    throw ToolFailure.failed(
                            said + " did not end within " + TimeUnit.NANOSECONDS.toMinutes(MOST_NANOS) + " minutes");
                }
                console.interruption().pause(LOOK_NANOS);
            }
            console.endIfAsked(); // the signal has ended the process, too
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** {@return the first sentence that the command wrote about its failure} */
    private static String beginning(Path err) throws IOException {
        return Files.readAllLines(err).stream()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse("it says nothing");
    }
}
