package dev.jwarp.conformance.script;

/** The device lacks something that the case needs, such as Markers in the receiving direction. */
public final class Skip extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Skip(String why) {
        super(why, null, false, false);
    }
}
