package dev.jwarp.tools.traffic;

/** How fast messages moved in the fastest moment. A moment is the time from one look at which some had moved to the next. */
final class PeakPace {
    private static final double NANOS = 1e9;

    private long since;
    private long before;
    private double fastest;

    void begin(long now) {
        since = now;
        before = 0;
        fastest = 0;
    }

    /** Counts messages that have moved since the beginning. */
    void moved(long messages, long now) {
        if (messages > before && now > since) {
            fastest = Math.max(fastest, (messages - before) / ((now - since) / NANOS));
            before = messages;
            since = now;
        }
    }

    /** {@return messages per second} */
    double fastest() {
        return fastest;
    }
}
