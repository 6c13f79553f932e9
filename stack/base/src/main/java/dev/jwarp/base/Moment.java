package dev.jwarp.base;

/** Arithmetic of times of the clock {@code nowNanos}; {@link Long#MAX_VALUE} means never. */
public final class Moment {
    private Moment() {}

    /** {@return the time {@code nanos} after {@code nowNanos}; never if the sum overflows} */
    public static long after(long nowNanos, long nanos) {
        return nanos >= Long.MAX_VALUE - Math.max(0, nowNanos) ? Long.MAX_VALUE : nowNanos + nanos;
    }
}
