package dev.jwarp.ddp.llp.sim;

/**
 * What happens to datagrams on their way.
 *
 * @param loss the share that never arrives, 0 to 1
 * @param duplication the share of those that arrive, that arrives twice, 0 to 1
 * @param shortestDelayNanos of each copy
 * @param longestDelayNanos of each copy; drawn for each by itself, so a range longer than the time between two sends
 *     changes their order
 */
public record DatagramFaults(double loss, double duplication, long shortestDelayNanos, long longestDelayNanos) {
    /** Everything arrives once and in order. */
    public static final DatagramFaults NONE = new DatagramFaults(0, 0, 10_000, 10_000);

    /** Checks the ranges. */
    public DatagramFaults {
        if (!(loss >= 0 && loss <= 1 && duplication >= 0 && duplication <= 1)) {
            throw new IllegalArgumentException("Shares lie between 0 and 1, not " + loss + " and " + duplication);
        }
        if (shortestDelayNanos < 0 || longestDelayNanos < shortestDelayNanos) {
            throw new IllegalArgumentException("Delays are 0 or more, the longest last");
        }
    }
}
