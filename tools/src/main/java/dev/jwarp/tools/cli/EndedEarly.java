package dev.jwarp.tools.cli;

/** Thrown from a wait when the user wants the command to end. This is not a failure. */
public final class EndedEarly extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Made without a stack trace, which is not used. */
    public EndedEarly() {
        super("ended early", null, false, false);
    }
}
