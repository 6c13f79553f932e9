package dev.jwarp.benchmarks.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Contenders that take turns, and their comparisons.
 *
 * @param title for people
 * @param oneCore whether all ends share one core; otherwise they spin on two
 * @param length of its rounds
 * @param contenders in the order of their turns
 * @param comparisons the ratios to compute
 */
record Workload(String title, boolean oneCore, Length length, List<Entry> contenders, List<Comparison> comparisons) {

    /**
     * A contender.
     *
     * @param name its name in tables
     * @param command the first word selects the program (java, fresh-java, c1-java, c, fabric, ucx, fi, iperf3); its
     *     arguments follow
     */
    record Entry(String name, String command) {}

    /** Accepted loss against the other build, as a fraction. */
    private static final double SLACK = 0.03;

    /**
     * {@return the same workload, in which the contenders of these goals are compared with another build of themselves:
     * {@code before}}
     *
     * @param goals goals whose contenders take part
     */
    Workload withBefore(Set<String> goals) {
        Map<String, Entry> entries = new LinkedHashMap<>();
        Map<String, Comparison> comparisons = new LinkedHashMap<>();
        for (Comparison one : comparisons()) {
            for (String mine : goals.contains(one.goal()) ? one.mine() : List.<String>of()) {
                for (Entry entry : contenders()) {
                    if (entry.name().equals(mine) && entry.command().startsWith(Players.JAVA)) {
                        String before = "before: " + mine;
                        entries.put(before, new Entry(before, Players.BEFORE + entry.command()));
                        entries.put(mine, entry);
                        Bound bound = one.metric().rises() ? Bound.atLeast(1 - SLACK) : Bound.atMost(1 + SLACK);
                        String label = mine + " / before, " + one.metric().unit;
                        comparisons.put(label, Comparison.ratio(one.goal(), label, mine, before, one.metric(), bound));
                    }
                }
            }
        }
        return new Workload(title, oneCore, length, List.copyOf(entries.values()), List.copyOf(comparisons.values()));
    }

    /**
     * Number and duration in milliseconds of rounds, in a full run and in a quick one. Turns are short: a disturbance
     * of a shared machine lasts for seconds, and then affects all contenders of a round.
     */
    enum Length {
        USUAL(14, 120, 3, 120),
        /** For tools that have to be started anew for each turn. */
        STARTED(6, 300, 3, 150),
        /** For rounds of one minute. */
        MINUTE(240, 250, 12, 250),
        ALLOCATION(7, 280, 3, 150),
        /** For tables of sockets and UD compared with RC: many contenders, without goals. */
        BESIDE(5, 150, 3, 100),
        CURVE(4, 150, 3, 100),
        /** For rounds with many peers, which take a second or more. */
        FIRST(3, 120, 3, 100);

        private final int rounds;
        private final int millis;
        private final int quickRounds;
        private final int quickMillis;

        Length(int rounds, int millis, int quickRounds, int quickMillis) {
            this.rounds = rounds;
            this.millis = millis;
            this.quickRounds = quickRounds;
            this.quickMillis = quickMillis;
        }

        int rounds(boolean quick) {
            return quick ? quickRounds : rounds;
        }

        int millis(boolean quick) {
            return quick ? quickMillis : millis;
        }
    }
}
