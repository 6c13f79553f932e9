package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs the contenders of a workload in turn: A B C, A B C. The first two rounds are warm-up. */
final class CompareRounds {
    /** Number of warm-up rounds for programs that need no compilation. */
    private static final int SHORT_WARM_UP_MILLIS = 150;

    private final Players players;
    private final boolean quick;
    private final boolean keepDisturbed;
    private final PrintStream progress;
    /** Nanoseconds left for additional rounds in place of disturbed ones, in all workloads. */
    private long patience;

    CompareRounds(Players players, boolean quick, boolean keepDisturbed, long patience, PrintStream progress) {
        this.players = players;
        this.quick = quick;
        this.keepDisturbed = keepDisturbed;
        this.patience = patience;
        this.progress = progress;
    }

    /** Runs the contenders of {@code workload} that its comparisons need. */
    Samples run(Workload workload, List<Comparison> comparisons) {
        Samples samples = new Samples(keepDisturbed);
        Set<String> needed = new java.util.HashSet<>();
        comparisons.forEach(comparison -> needed.addAll(comparison.contenders()));
        Map<String, Player> playing = new LinkedHashMap<>();
        try {
            for (Workload.Entry entry : workload.contenders()) {
                if (needed.contains(entry.name())) {
                    try {
                        playing.put(entry.name(), players.open(entry, workload.oneCore()));
                    } catch (IOException e) {
                        samples.absent(entry.name(), String.valueOf(e.getMessage()));
                    }
                }
            }
            each(playing, samples, Player::ready);
            int millis = workload.length().millis(quick);
            int rounds = workload.length().rounds(quick);
            int warmUp = workload.length().warmUpMillis(quick);
            round(playing, samples, warmUp, -2);
            each(playing, samples, Player::settle); // before this, compiler threads have a core of their own
            round(playing, samples, warmUp, -1);
            for (int round = 0; round < rounds || wantsMore(samples, comparisons, round, rounds); round++) {
                long start = System.nanoTime();
                round(playing, samples, millis, round);
                patience -= round < rounds ? 0 : System.nanoTime() - start;
            }
        } finally {
            playing.values().forEach(Player::close);
        }
        return samples;
    }

    /** An action on a player. */
    private interface Step {
        void take(Player player) throws IOException;
    }

    private void each(Map<String, Player> playing, Samples samples, Step step) {
        for (var each : List.copyOf(playing.entrySet())) {
            try {
                step.take(each.getValue());
            } catch (IOException e) {
                out(each.getKey(), each.getValue(), e, playing, samples);
            }
        }
    }

    private boolean wantsMore(Samples samples, List<Comparison> comparisons, int round, int rounds) {
        return !keepDisturbed
                && patience > 0
                && round < rounds + rounds / 2
                && comparisons.stream()
                        .filter(comparison -> comparison.contenders().stream().noneMatch(samples.absent()::containsKey))
                        .anyMatch(comparison -> samples.goodRounds(comparison.contenders()) < rounds);
    }

    /** @param number negative in warm-up rounds, which players with a shorter warm-up join later */
    private void round(Map<String, Player> playing, Samples samples, int millis, int number) {
        for (var each : List.copyOf(playing.entrySet())) {
            String name = each.getKey();
            if (-number > each.getValue().warmUps()) {
                continue;
            }
            int length = number < 0 && each.getValue().warmUps() == 1 ? SHORT_WARM_UP_MILLIS : millis;
            long others = Others.nanos();
            long start = System.nanoTime();
            try {
                Figures figures = each.getValue().round(length);
                double share = (double) (Others.nanos() - others) / (System.nanoTime() - start);
                if (figures.operations() == 0 || figures.nanos() <= 0) {
                    throw new IOException("no operation was completed");
                }
                if (number >= 0) {
                    samples.add(name, figures, share);
                }
            } catch (IOException e) {
                out(name, each.getValue(), e, playing, samples);
            }
        }
    }

    private void out(String name, Player player, IOException why, Map<String, Player> playing, Samples samples) {
        progress.println("  " + name + " is out: " + why.getMessage());
        samples.absent(name, String.valueOf(why.getMessage()));
        player.close();
        playing.remove(name);
    }
}
