package dev.jwarp.benchmarks.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** All that the contenders of one workload did, and who of them could not take part. */
final class Samples {
    /** More than this share of a core used by others disturbs a turn. */
    static final double DISTURBING = 0.1;

    private final boolean keepDisturbed;
    private final Map<String, List<Turn>> turns = new LinkedHashMap<>();
    private final Map<String, String> absent = new LinkedHashMap<>();

    /** @param keepDisturbed whether disturbed turns count like others */
    Samples(boolean keepDisturbed) {
        this.keepDisturbed = keepDisturbed;
    }

    /**
     * One contender in one round.
     *
     * @param figures what it came to
     * @param others the share of a core that foreign processes used meanwhile
     */
    record Turn(Figures figures, double others) {
        boolean disturbed() {
            return others > DISTURBING;
        }
    }

    void add(String contender, Figures figures, double others) {
        turns.computeIfAbsent(contender, name -> new ArrayList<>()).add(new Turn(figures, others));
    }

    void absent(String contender, String reason) {
        turns.remove(contender);
        absent.putIfAbsent(contender, reason);
    }

    Map<String, List<Turn>> turns() {
        return turns;
    }

    Map<String, String> absent() {
        return absent;
    }

    /** {@return rounds in which none of these was disturbed} */
    int goodRounds(List<String> contenders) {
        int good = 0;
        for (int round = 0; round < rounds(contenders); round++) {
            good += good(contenders, round) ? 1 : 0;
        }
        return good;
    }

    private int rounds(List<String> contenders) {
        return contenders.stream()
                .mapToInt(name -> turns.getOrDefault(name, List.of()).size())
                .min()
                .orElse(0);
    }

    private boolean good(List<String> contenders, int round) {
        return keepDisturbed
                || contenders.stream()
                        .noneMatch(name ->
                                turns.getOrDefault(name, List.of()).get(round).disturbed());
    }

    Outcome judge(Comparison comparison) {
        List<String> all = comparison.contenders();
        for (String name : all) {
            if (absent.containsKey(name)) {
                return Outcome.notRun(comparison, name + ": " + absent.get(name));
            }
        }
        List<Double> values = new ArrayList<>();
        int rounds = rounds(all);
        for (int round = 0; round < rounds; round++) {
            if (good(all, round)) {
                values.add(value(comparison, round));
            }
        }
        if (values.isEmpty()) {
            return Outcome.notRun(
                    comparison, rounds == 0 ? "no round was done" : "other processes disturbed each of its rounds");
        }
        values.sort(null);
        Outcome outcome = new Outcome(
                comparison,
                median(values),
                values.get(0),
                values.get(values.size() - 1),
                values.size(),
                rounds - values.size(),
                null);
        if (comparison.isCurve()) {
            return outcome.withMedian(ofMedians(comparison));
        }
        return comparison.metric() == Metric.P999 ? outcome.withMedian(merged(comparison)) : outcome;
    }

    /** Of a curve: the most of many points would only be the worst disturbed one, so each point is a median first. */
    private double ofMedians(Comparison comparison) {
        List<Double> points = comparison.mine().stream()
                .map(name -> median(IntStream.range(0, rounds(comparison.contenders()))
                        .filter(round -> good(comparison.contenders(), round))
                        .mapToObj(round -> figure(comparison, name, round))
                        .sorted()
                        .toList()))
                .toList();
        return Collections.max(points) / Collections.min(points);
    }

    private double value(Comparison comparison, int round) {
        double[] mine = comparison.mine().stream()
                .mapToDouble(name -> figure(comparison, name, round))
                .toArray();
        String peer = comparison.peer();
        if (peer != null) {
            return mine[0] / figure(comparison, peer, round);
        }
        if (comparison.isCurve()) {
            return DoubleStream.of(mine).max().orElse(0)
                    / DoubleStream.of(mine).min().orElse(1);
        }
        return mine[0];
    }

    private double figure(Comparison comparison, String name, int round) {
        return comparison
                .metric()
                .of(turns.getOrDefault(name, List.of()).get(round).figures());
    }

    /** Of a far percentile: that of all good rounds together, not the median of those of each. */
    private double merged(Comparison comparison) {
        String peer = comparison.peer();
        double mine = merged(comparison, comparison.mine().get(0));
        return peer == null ? mine : mine / merged(comparison, peer);
    }

    private double merged(Comparison comparison, String name) {
        var times = Contender.histogram();
        List<Turn> of = turns.getOrDefault(name, List.of());
        for (int round = 0; round < rounds(comparison.contenders()); round++) {
            if (good(comparison.contenders(), round)) {
                times.add(of.get(round).figures().times());
            }
        }
        return Metric.percentile(times, 99.9);
    }

    /** {@return the median of a contender's undisturbed rounds, or null if it has none} */
    @Nullable
    Double median(String name, Metric metric) {
        List<Double> values = turns.getOrDefault(name, List.of()).stream()
                .filter(turn -> keepDisturbed || !turn.disturbed())
                .map(turn -> metric.of(turn.figures()))
                .sorted()
                .toList();
        return values.isEmpty() ? null : median(values);
    }

    /** {@return how many turns were left out} */
    int leftOut() {
        return keepDisturbed
                ? 0
                : (int) turns.values().stream()
                        .flatMap(List::stream)
                        .filter(Turn::disturbed)
                        .count();
    }

    private static double median(List<Double> sorted) {
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
