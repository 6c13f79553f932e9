package dev.jwarp.sim;

/**
 * Faults of a datagram path.
 *
 * @param loss share of lost datagrams, 0 to 1
 * @param duplication share of arriving datagrams that arrive twice, 0 to 1
 * @param corruption share of copies with one inverted bit, 0 to 1
 * @param shortestDelayNanos minimum delay of each copy
 * @param longestDelayNanos maximum delay of each copy; drawn independently, so a range longer than the time between two
 *     sends reorders datagrams
 */
public record DatagramFaults(
        double loss, double duplication, double corruption, long shortestDelayNanos, long longestDelayNanos) {
    /** Everything arrives once and in order. */
    public static final DatagramFaults NONE = new DatagramFaults(0, 0, 0, 10_000, 10_000);

    /** Checks the ranges. */
    public DatagramFaults {
        if (!isShare(loss) || !isShare(duplication) || !isShare(corruption)) {
            throw new IllegalArgumentException(
                    "Shares lie between 0 and 1, not " + loss + ", " + duplication + " and " + corruption);
        }
        if (shortestDelayNanos < 0 || longestDelayNanos < shortestDelayNanos) {
            throw new IllegalArgumentException("Delays are 0 or more, the longest last");
        }
    }

    /** Faults without corruption. */
    public DatagramFaults(double loss, double duplication, long shortestDelayNanos, long longestDelayNanos) {
        this(loss, duplication, 0, shortestDelayNanos, longestDelayNanos);
    }

    private static boolean isShare(double value) {
        return value >= 0 && value <= 1;
    }
}
