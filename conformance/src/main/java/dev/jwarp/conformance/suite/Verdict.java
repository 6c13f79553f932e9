package dev.jwarp.conformance.suite;

import java.util.Locale;

/** How a case ended. */
public enum Verdict {
    /** The device did what the requirement asks. */
    PASS,
    /** It did something else. */
    FAIL,
    /** Not tried; the reason is told. Never counted as passed. */
    SKIPPED,
    /** Tried, but the requirement did not come to show. */
    INCONCLUSIVE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
