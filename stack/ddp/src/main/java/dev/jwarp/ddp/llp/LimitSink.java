package dev.jwarp.ddp.llp;

/** Takes how much of some limits is used. One thread, which only looks: what it is told may be a moment old. */
public interface LimitSink {
    /** A high-water mark that is not kept. */
    long NOT_KEPT = -1;

    /**
     * Takes one.
     *
     * @param name in lower case with hyphens
     * @param current how much is used now
     * @param highWater the most that was ever used at a time, or {@link #NOT_KEPT}
     * @param limit how much may be used
     */
    void limit(String name, long current, long highWater, long limit);

    /** The same where no high-water mark is kept. */
    default void limit(String name, long current, long limit) {
        limit(name, current, NOT_KEPT, limit);
    }
}
