package dev.jwarp.sim;

/** A virtual clock: only the simulation advances it, and it never goes back. One thread at a time. */
public final class SimClock {
    private static final long START = 1_000_000_000L;

    private long nowNanos = START;

    /** Creates a clock at one second. */
    public SimClock() {}

    /** {@return the time, nanoseconds} */
    public long nowNanos() {
        return nowNanos;
    }

    /**
     * Advances the clock.
     *
     * @throws IllegalArgumentException if the time is earlier than the present one
     */
    public void advanceTo(long nanos) {
        if (nanos < nowNanos) {
            throw new IllegalArgumentException("Time does not go back from " + nowNanos + " to " + nanos);
        }
        nowNanos = nanos;
    }

    /** {@return the time in {@code nanos}; {@link Long#MAX_VALUE} on overflow} */
    public long after(long nanos) {
        return nanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + nanos;
    }
}
