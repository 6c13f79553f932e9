package dev.jwarp.llp;

/** Receives the current use of limits. The values may be slightly outdated. One thread. */
public interface LimitSink {
    /** Stands for a high-water mark that is not recorded. */
    long NOT_KEPT = -1;

    /**
     * Receives one limit.
     *
     * @param name in lower case with hyphens
     * @param current current use
     * @param highWater maximum use so far, or {@link #NOT_KEPT}
     * @param limit maximum permitted use
     */
    void limit(String name, long current, long highWater, long limit);

    /** Receives one limit without a high-water mark. */
    default void limit(String name, long current, long limit) {
        limit(name, current, NOT_KEPT, limit);
    }
}
