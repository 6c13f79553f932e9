package dev.jwarp.tools.cli;

/** Thrown out of a wait when the user wants the command to end; no failure. */
public final class EndedEarly extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Without a stack trace: it is not used. */
    public EndedEarly() {
        super("ended early", null, false, false);
    }
}
