package dev.jwarp.ddp.llp.sim;

/** Virtual time: it stands still until the simulation moves it, and never goes back. One thread at a time. */
public final class SimClock {
    private static final long START = 1_000_000_000L;

    private long nowNanos = START;

    /** Creates a clock that shows one second. */
    public SimClock() {}

    /** {@return the time, nanoseconds} */
    public long nowNanos() {
        return nowNanos;
    }

    /**
     * Moves the clock.
     *
     * @throws IllegalArgumentException if that would be backwards
     */
    public void advanceTo(long nanos) {
        if (nanos < nowNanos) {
            throw new IllegalArgumentException("Time does not go back from " + nowNanos + " to " + nanos);
        }
        nowNanos = nanos;
    }

    /** {@return the time that is {@code nanos} from now; {@link Long#MAX_VALUE} if that is beyond what a clock shows} */
    public long after(long nanos) {
        return nanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + nanos;
    }
}
