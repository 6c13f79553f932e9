package dev.jwarp.base;

/**
 * Reports what failed on this side: in the log, or, if that fails too, as without memory, in the failure itself. Throws
 * nothing. Any thread.
 */
public final class Faults {
    private final Line log;

    /** A line of a log. */
    @FunctionalInterface
    public interface Line {
        /** Writes it, with {@code what} in place of the braces. */
        void write(String format, Object what, Throwable cause);
    }

    /** @param log where lines go */
    public Faults(Line log) {
        this.log = log;
    }

    /** Tells of a failure. */
    public void tell(String format, Object what, Throwable cause) {
        try {
            log.write(format, what, cause);
        } catch (Throwable again) {
            suppress(cause, again);
        }
    }

    /** Leaves a later failure in the first one. The JVM throws one and the same error again when it has no memory left. */
    public static void suppress(Throwable cause, Throwable again) {
        if (again != cause) {
            cause.addSuppressed(again);
        }
    }
}
