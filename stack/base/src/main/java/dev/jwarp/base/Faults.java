package dev.jwarp.base;

/**
 * Reports failures of this side in the log. If logging fails too, for instance without memory, the second failure is
 * added to the first as suppressed. Throws nothing. Any thread.
 */
public final class Faults {
    private final Line log;

    /** A line of a log. */
    @FunctionalInterface
    public interface Line {
        /** Writes the line, with {@code what} in place of the braces. */
        void write(String format, Object what, Throwable cause);
    }

    /** @param log receives the lines */
    public Faults(Line log) {
        this.log = log;
    }

    /** Reports a failure. */
    public void tell(String format, Object what, Throwable cause) {
        try {
            log.write(format, what, cause);
        } catch (Throwable again) {
            suppress(cause, again);
        }
    }

    /**
     * Adds a later failure to the first one as suppressed. Without memory the JVM throws the same preallocated error
     * object again.
     */
    public static void suppress(Throwable cause, Throwable again) {
        if (again != cause) {
            cause.addSuppressed(again);
        }
    }
}
