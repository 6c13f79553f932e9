package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs the contenders of a workload in turn, A B C, A B C, after each has had its warm-up. */
final class CompareRounds {
    private static final int WARM_UP_MILLIS = 400;
    /** A warm-up ends with a round of which the compilers use less than this share. */
    private static final double QUIET = 0.1;
    /** A warm-up ends after so many rounds at the latest. */
    private static final int MOST_WARM_UPS = 20;

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
            each(playing, samples, player -> warmUp(player, workload.oneCore()));
            for (int round = 0; round < rounds || wantsMore(samples, comparisons, round, rounds); round++) {
                long start = System.nanoTime();
                round(playing, samples, millis);
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

    /** Until the player settles, its compilers have a core of their own. */
    private void warmUp(Player player, boolean oneCore) throws IOException {
        if (player.warmsUp()) {
            untilCompiled(player);
        }
        player.settle();
        if (player.warmsUp() && oneCore) {
            untilCompiled(player);
        }
    }

    private void untilCompiled(Player player) throws IOException {
        boolean quiet = false;
        for (int left = quick ? 1 : MOST_WARM_UPS; left > 0 && !quiet; left--) {
            long start = System.nanoTime();
            long before = player.compiling();
            player.round(WARM_UP_MILLIS);
            quiet = player.compiling() - before < QUIET * (System.nanoTime() - start);
        }
        if (!quiet && !quick) {
            progress.println("  still compiles after " + MOST_WARM_UPS + " rounds of warm-up: " + player);
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

    private void round(Map<String, Player> playing, Samples samples, int millis) {
        for (var each : List.copyOf(playing.entrySet())) {
            String name = each.getKey();
            long others = CpuTime.ofOthers();
            long start = System.nanoTime();
            try {
                Figures figures = each.getValue().round(millis);
                double share = (double) (CpuTime.ofOthers() - others) / (System.nanoTime() - start);
                if (figures.operations() == 0 || figures.nanos() <= 0) {
                    throw new IOException("no operation was completed");
                }
                samples.add(name, figures, share);
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
