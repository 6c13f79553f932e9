package dev.jwarp.benchmarks.compare;

import java.util.List;

/**
 * Contenders that take turns, and what is compared.
 *
 * @param title for people
 * @param oneCore whether all ends share one core; else they have two and spin
 * @param length of its rounds
 * @param contenders in the order of their turns
 * @param comparisons what becomes of it
 */
record Workload(String title, boolean oneCore, Length length, List<Entry> contenders, List<Comparison> comparisons) {

    /**
     * Who takes part.
     *
     * @param name as tables call it
     * @param command who runs it (java, fresh-java, c, fabric, ucx, fi, iperf3), then its words
     */
    record Entry(String name, String command) {}

    /** How many rounds of how many milliseconds, in a whole run and in a quick one. */
    enum Length {
        USUAL(7, 350, 3, 150, 700),
        ROUND_TRIPS(7, 300, 3, 150, 700),
        /** One minute of each. */
        MINUTE(60, 1000, 3, 1000, 1000),
        ALLOCATION(3, 500, 3, 150, 700),
        CURVE(3, 250, 2, 100, 400);

        private static final int QUICK_WARM_UP_MILLIS = 300;

        private final int rounds;
        private final int millis;
        private final int quickRounds;
        private final int quickMillis;
        private final int warmUpMillis;

        Length(int rounds, int millis, int quickRounds, int quickMillis, int warmUpMillis) {
            this.rounds = rounds;
            this.millis = millis;
            this.quickRounds = quickRounds;
            this.quickMillis = quickMillis;
            this.warmUpMillis = warmUpMillis;
        }

        /** {@return how long each of the rounds is that are for nothing} */
        int warmUpMillis(boolean quick) {
            return quick ? QUICK_WARM_UP_MILLIS : warmUpMillis;
        }

        int rounds(boolean quick) {
            return quick ? quickRounds : rounds;
        }

        int millis(boolean quick) {
            return quick ? quickMillis : millis;
        }
    }
}
