package dev.jwarp.conformance.script;

import org.jspecify.annotations.Nullable;

/** The peer did something other than what the requirement asks for. Not an error of the tester. */
public final class Deviation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String expected;
    private final String actual;

    /**
     * A deviation.
     *
     * @param expected what should have come, such as {@code Terminate 2/0/02}
     * @param actual what came instead
     */
    public Deviation(String expected, String actual) {
        super("expected " + expected + ", got " + actual, null, false, true);
        this.expected = expected;
        this.actual = actual;
    }

    /** Throws a deviation unless {@code so}. */
    public static void unless(boolean so, String expected, @Nullable Object actual) {
        if (!so) {
            throw new Deviation(expected, String.valueOf(actual));
        }
    }

    public String expected() {
        return expected;
    }

    public String actual() {
        return actual;
    }
}
