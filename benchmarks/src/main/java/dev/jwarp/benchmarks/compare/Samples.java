package dev.jwarp.benchmarks.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** The rounds of all contenders of one workload, and the contenders that could not take part. */
final class Samples {
    /** A turn is disturbed if other processes use more than this share of a core. */
    static final double DISTURBING = 0.1;

    private static final String DISTURBED = "other processes disturbed each of its rounds";

    private final boolean keepDisturbed;
    private final Map<String, List<Turn>> turns = new LinkedHashMap<>();
    private final Map<String, String> absent = new LinkedHashMap<>();

    /** @param keepDisturbed whether to count disturbed turns like others */
    Samples(boolean keepDisturbed) {
        this.keepDisturbed = keepDisturbed;
    }

    /**
     * One contender in one round.
     *
     * @param figures the results
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

    /** {@return rounds in which none of these contenders was disturbed} */
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
        values.sort(null);
        if (comparison.isCurve()) {
            return ofMedians(comparison, values, rounds);
        }
        if (values.isEmpty()) {
            return Outcome.notRun(comparison, rounds == 0 ? "no round was done" : DISTURBED);
        }
        Outcome outcome = Outcome.of(comparison, values, rounds - values.size());
        return comparison.metric() == Metric.P999 ? outcome.withMedian(merged(comparison)) : outcome;
    }

    /**
     * For a curve: the maximum over many points of one round would only be the most disturbed point, so each point is
     * first reduced to the median of its rounds.
     */
    private Outcome ofMedians(Comparison comparison, List<Double> wholeRounds, int rounds) {
        double most = 0;
        double least = Double.MAX_VALUE;
        for (String name : comparison.mine()) {
            Double point = median(name, comparison.metric());
            if (point == null) {
                return Outcome.notRun(comparison, name + ": " + DISTURBED);
            }
            most = Math.max(most, point);
            least = Math.min(least, point);
        }
        double ratio = most / least;
        return wholeRounds.isEmpty()
                ? Outcome.once(comparison, ratio)
                : Outcome.of(comparison, wholeRounds, rounds - wholeRounds.size())
                        .withMedian(ratio);
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

    /** A far percentile is that of all good rounds together, not the median of the rounds' percentiles. */
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
        return values.isEmpty() ? null : Outcome.median(values);
    }

    /** {@return number of turns that were left out} */
    int leftOut() {
        return keepDisturbed
                ? 0
                : (int) turns.values().stream()
                        .flatMap(List::stream)
                        .filter(Turn::disturbed)
                        .count();
    }
}
