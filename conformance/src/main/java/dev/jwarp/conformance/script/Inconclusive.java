package dev.jwarp.conformance.script;

/** The case could not be brought to the point where the requirement shows: no verdict on the peer. */
public final class Inconclusive extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Inconclusive(String why) {
        super(why, null, false, false);
    }
}
