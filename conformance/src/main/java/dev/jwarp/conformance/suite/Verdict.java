package dev.jwarp.conformance.suite;

import java.util.Locale;

/** How a case ended. */
public enum Verdict {
    /** The device did what the requirement asks. */
    PASS,
    /** It did something else. */
    FAIL,
    /** Not tried, for a reason that the report names. Never counted as passed. */
    SKIPPED,
    /** Tried, but without evidence for or against the requirement. */
    INCONCLUSIVE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
