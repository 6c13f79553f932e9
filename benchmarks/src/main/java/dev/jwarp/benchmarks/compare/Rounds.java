package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has the contenders of a workload take turns: A B C, A B C. Two rounds are warm-up. */
final class Rounds {
    private static final int WARM_UP = 2;

    private final Players players;
    private final boolean quick;
    private final boolean keepDisturbed;
    private final long deadline;
    private final PrintStream progress;

    /** @param deadline in nanoseconds of {@link System#nanoTime}: after it no round is repeated because it was disturbed */
    Rounds(Players players, boolean quick, boolean keepDisturbed, long deadline, PrintStream progress) {
        this.players = players;
        this.quick = quick;
        this.keepDisturbed = keepDisturbed;
        this.deadline = deadline;
        this.progress = progress;
    }

    /** Runs those contenders of {@code workload} that its comparisons need. */
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
            int rounds = workload.length().rounds(quick);
            int most = keepDisturbed ? rounds : rounds + rounds / 2;
            for (int round = -WARM_UP; round < most && !enough(samples, comparisons, round, rounds); round++) {
                round(playing, samples, workload.length().millis(quick), round >= 0);
            }
        } finally {
            playing.values().forEach(Player::close);
        }
        return samples;
    }

    private boolean enough(Samples samples, List<Comparison> comparisons, int round, int rounds) {
        return round >= rounds
                && (System.nanoTime() > deadline
                        || comparisons.stream()
                                .allMatch(comparison -> samples.goodRounds(comparison.contenders()) >= rounds
                                        || comparison.contenders().stream().anyMatch(samples.absent()::containsKey)));
    }

    private void round(Map<String, Player> playing, Samples samples, int millis, boolean counts) {
        for (var each : List.copyOf(playing.entrySet())) {
            String name = each.getKey();
            long others = Others.nanos();
            long start = System.nanoTime();
            try {
                Figures figures = each.getValue().round(millis);
                double share = (double) (Others.nanos() - others) / (System.nanoTime() - start);
                if (figures.operations() == 0 || figures.nanos() <= 0) {
                    throw new IOException("it did nothing");
                }
                if (counts) {
                    samples.add(name, figures, share);
                }
            } catch (IOException e) {
                progress.println("  " + name + ": " + e.getMessage());
                samples.absent(name, String.valueOf(e.getMessage()));
                each.getValue().close();
                playing.remove(name);
            }
        }
    }
}
