package dev.jwarp.ddp.llp;

/**
 * How the lower layer finds out that the peer of an idle connection is gone: it sends probes, and ends the connection where no
 * answer comes ({@link LlpEnd#TIMED_OUT}). Where the operating system has no such times for one connection, its own times hold.
 *
 * @param on false: no probes
 * @param idleSeconds without any byte before the first probe
 * @param intervalSeconds between two probes
 * @param probes probes without an answer after which the connection ends
 */
public record KeepAliveTimes(boolean on, int idleSeconds, int intervalSeconds, int probes) {
    /** No probes. */
    public static final KeepAliveTimes OFF = new KeepAliveTimes(false, 1, 1, 1);

    /** What Linux takes at most for the two times. */
    public static final int MOST_SECONDS = 32_767;

    /** What Linux takes at most. */
    public static final int MOST_PROBES = 127;

    /** Checks the values. */
    public KeepAliveTimes {
        check("seconds", idleSeconds, MOST_SECONDS);
        check("seconds", intervalSeconds, MOST_SECONDS);
        check("probes", probes, MOST_PROBES);
    }

    private static void check(String what, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("a keep-alive has 1 to " + most + " " + what + ", not " + value);
        }
    }
}
