package dev.jwarp.base;

/** A time on the clock of all {@code nowNanos}; {@link Long#MAX_VALUE} is never. */
public final class Moment {
    private Moment() {}

    /** {@return the time that is {@code nanos} after {@code nowNanos}; never, if that is too far away for a number} */
    public static long after(long nowNanos, long nanos) {
        return nanos >= Long.MAX_VALUE - Math.max(0, nowNanos) ? Long.MAX_VALUE : nowNanos + nanos;
    }
}
