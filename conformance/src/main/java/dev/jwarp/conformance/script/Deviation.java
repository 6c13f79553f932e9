package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device did something other than what a requirement asks for. A deviation is no error of the tester. It is charged
 * to the requirement of the case, unless it names another requirement or a suspect explains it.
 */
public final class Deviation extends RuntimeException {
    /** What came instead of an answer, in the words of a report. */
    public static final String NOTHING = "nothing within the time allowed";

    private static final long serialVersionUID = 1;

    private final transient Expectation expectation; // never serialized
    private final String actual;
    private final String requirement;
    private final transient List<String> suspects; // never serialized

    /**
     * A deviation from the requirement of the case.
     *
     * @param expected what should have come, in words
     * @param actual what came instead
     */
    public Deviation(String expected, Object actual) {
        this(new Expectation.Other(expected), actual);
    }

    /** A deviation from an expectation that a script may be able to judge without the case. */
    public Deviation(Expectation expected, Object actual) {
        this("", expected, actual.toString(), List.of());
    }

    private Deviation(String requirement, Expectation expected, String actual, List<String> suspects) {
        super("expected " + expected.words() + ", got " + actual, null, false, true);
        expectation = expected;
        this.actual = actual;
        this.requirement = requirement;
        this.suspects = suspects;
    }

    /** A deviation from this requirement, in a case of whatever requirement. */
    public static Deviation from(String requirement, String expected, Object actual) {
        return from(requirement, new Expectation.Other(expected), actual);
    }

    /** A deviation from this requirement, with an expectation that a script may be able to judge without the case. */
    static Deviation from(String requirement, Expectation expected, Object actual) {
        return new Deviation(requirement, expected, actual.toString(), List.of());
    }

    /**
     * The same deviation, with requirements that may explain it. The first of these that the device breaks is the
     * cause.
     */
    public Deviation suspecting(List<String> requirements) {
        return new Deviation(requirement, expectation, actual, List.copyOf(requirements));
    }

    /** Throws a deviation unless {@code so}. */
    public static void unless(boolean so, String expected, @Nullable Object actual) {
        if (!so) {
            throw new Deviation(expected, String.valueOf(actual));
        }
    }

    /** Throws a deviation unless the bytes that came are the wanted ones. */
    public static void same(byte[] came, byte[] wanted, String expected) {
        unless(Arrays.equals(came, wanted), expected, Octets.start(came));
    }

    public Expectation expectation() {
        return expectation;
    }

    /** {@return the words of {@link #expectation}} */
    public String expected() {
        return expectation.words();
    }

    public String actual() {
        return actual;
    }

    /** The broken requirement; empty if it is that of the case. */
    public String requirement() {
        return requirement;
    }

    /** Requirements, each of which would explain the deviation if the device breaks it. */
    public List<String> suspects() {
        return suspects;
    }
}
