package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The results of a run.
 *
 * @param outcomes results of all comparisons
 * @param samples samples of all workloads
 * @param quick whether samples were short
 */
record Report(List<Outcome> outcomes, Map<Workload, Samples> samples, boolean quick) {
    /** Order of goals: goals of sockets come last. */
    private static final int SOCKETS = 100;

    /** Prints the medians of all contenders in the metrics of their comparisons. */
    static void contenders(PrintStream out, Workload workload, Samples samples, List<Comparison> comparisons) {
        for (Workload.Entry entry : workload.contenders()) {
            String medians = medians(entry.name(), samples, comparisons);
            if (!medians.isEmpty()) {
                out.printf("  %-34s %s%n", entry.name(), medians);
            }
        }
    }

    /** {@return medians of a contender in each metric of its comparisons; empty without comparisons} */
    static String medians(String name, Samples samples, List<Comparison> comparisons) {
        if (samples.absent().containsKey(name)) {
            return "NOT RUN: " + samples.absent().get(name);
        }
        return comparisons.stream()
                .filter(comparison -> comparison.contenders().contains(name))
                .map(Comparison::metric)
                .distinct()
                .filter(metric -> samples.turns().containsKey(name))
                .map(metric -> {
                    Double median = samples.median(name, metric);
                    return median == null ? "disturbed in all rounds" : Outcome.number(median) + " " + metric.unit;
                })
                .collect(Collectors.joining(", "));
    }

    /** {@return results by goal, in the order of the goals} */
    Map<String, List<Outcome>> byGoal() {
        return outcomes.stream()
                .sorted(java.util.Comparator.comparingInt(
                        outcome -> place(outcome.comparison().goal())))
                .collect(Collectors.groupingBy(
                        outcome -> outcome.comparison().goal(), LinkedHashMap::new, Collectors.toList()));
    }

    private static int place(String goal) {
        return switch (goal.charAt(0)) {
            case 'P' -> Integer.parseInt(goal.substring(1));
            case 'S' -> SOCKETS + Integer.parseInt(goal.substring(1));
            default -> Integer.MAX_VALUE;
        };
    }

    /** Prints each comparison, then one line a goal. */
    void goals(PrintStream out) {
        Map<String, List<Outcome>> goals = byGoal();
        goals.forEach((goal, all) -> {
            for (Outcome outcome : all) {
                out.printf(
                        "%-4s %-74s %-17s %-24s %s%n",
                        goal,
                        outcome.comparison().label(),
                        outcome.comparison().bound().text(),
                        outcome.figure(),
                        outcome.verdict()
                                + (outcome.leftOut() > 0 ? " (" + outcome.leftOut() + " rounds left out)" : ""));
            }
        });
        out.println();
        goals.forEach((goal, all) -> out.println(line(goal, all)));
    }

    /** {@return the comparisons with a bound, or all if none has one} */
    private static List<Outcome> judged(List<Outcome> all) {
        List<Outcome> judged = all.stream()
                .filter(outcome -> outcome.comparison().bound().relation() != Bound.Relation.REPORT)
                .toList();
        return judged.isEmpty() ? all : judged;
    }

    private static String joined(List<Outcome> outcomes, Function<Outcome, String> part) {
        return outcomes.stream().map(part).collect(Collectors.joining(" / "));
    }

    /** {@return goal, bounds, figures and verdict in one line} */
    static String line(String goal, List<Outcome> all) {
        List<Outcome> shown = judged(all);
        return String.format(
                Locale.ROOT,
                "%-4s %s  %s  %s",
                goal,
                joined(shown, outcome -> outcome.comparison().bound().text()),
                joined(shown, Outcome::figure),
                verdict(shown));
    }

    /** {@return "met" only if all comparisons that ran are met; names those that did not run} */
    private static String verdict(List<Outcome> all) {
        List<Outcome> ran =
                all.stream().filter(outcome -> outcome.notRun() == null).toList();
        StringJoiner words = new StringJoiner("; ");
        if (!ran.isEmpty()) {
            words.add(
                    ran.stream().anyMatch(outcome -> outcome.verdict().equals("not met"))
                            ? "not met"
                            : ran.stream().anyMatch(outcome -> outcome.verdict().equals("met")) ? "met" : "report");
        }
        all.stream()
                .filter(outcome -> outcome.notRun() != null)
                .map(Outcome::verdict)
                .distinct()
                .forEach(words::add);
        return words.toString();
    }

    /** Writes {@code goals.tsv} and {@code samples.tsv}. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        StringBuilder goals = new StringBuilder(
                "goal\tcomparison\tbound\tmedian\tmin\tlower quarter\tupper quarter\tmax\trounds\tleft out\tverdict\n");
        byGoal().values().stream()
                .flatMap(List::stream)
                .forEach(outcome -> goals.append(String.join(
                                "\t",
                                outcome.comparison().goal(),
                                outcome.comparison().label(),
                                outcome.comparison().bound().text(),
                                Outcome.number(outcome.median()),
                                Outcome.number(outcome.least()),
                                Outcome.number(outcome.lower()),
                                Outcome.number(outcome.upper()),
                                Outcome.number(outcome.most()),
                                String.valueOf(outcome.rounds()),
                                String.valueOf(outcome.leftOut()),
                                outcome.verdict()))
                        .append('\n'));
        Files.writeString(folder.resolve("goals.tsv"), goals);
        StringBuilder rows = new StringBuilder(
                "workload\tcontender\tround\toperations\toctets\tnanos\tlost\tp50 ns\tp99 ns\tp99.9 ns\tallocated\tcpu ns\tothers\n");
        samples.forEach((workload, of) -> of.turns().forEach((name, turns) -> {
            for (int i = 0; i < turns.size(); i++) {
                rows.append(row(workload, name, i, turns.get(i))).append('\n');
            }
        }));
        Files.writeString(folder.resolve("samples.tsv"), rows);
    }

    private static String row(Workload workload, String name, int round, Samples.Turn turn) {
        Figures f = turn.figures();
        return String.join(
                "\t",
                workload.title(),
                name,
                String.valueOf(round),
                String.valueOf(f.operations()),
                String.valueOf(f.octets()),
                String.valueOf(f.nanos()),
                String.valueOf(f.lost()),
                String.valueOf(f.times().getValueAtPercentile(50)),
                String.valueOf(f.times().getValueAtPercentile(99)),
                String.valueOf(f.times().getValueAtPercentile(99.9)),
                String.valueOf(f.allocated()),
                String.valueOf(f.cpu()),
                String.format(Locale.ROOT, "%.3f", turn.others()));
    }
}
