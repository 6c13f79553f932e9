package dev.jwarp.ddp.llp.sim;

/**
 * What happens to datagrams on their way.
 *
 * @param loss the share that never arrives, 0 to 1
 * @param duplication the share of those that arrive, that arrives twice, 0 to 1
 * @param corruption the share of copies of which one bit is turned over, 0 to 1
 * @param shortestDelayNanos of each copy
 * @param longestDelayNanos of each copy; drawn for each by itself, so a range longer than the time between two sends
 *     changes their order
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
