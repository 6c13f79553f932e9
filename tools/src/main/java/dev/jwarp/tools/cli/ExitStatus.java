package dev.jwarp.tools.cli;

/**
 * The exit status of every {@code jwarp} command. It is part of the interface: scripts depend on it. A command that a
 * signal ends exits with 128 plus the signal's number, after it has printed its results so far.
 */
public enum ExitStatus {
    /** The run succeeded; a clean disconnect is success. */
    OK(0, "all went well"),
    /** The command ran, and the run failed. */
    FAILED(1, "the run failed: an error completion, a difference in the data, a lost peer"),
    /** The command line is wrong. */
    USAGE(2, "usage: an unknown or unsupported option, a bad value, nothing matched"),
    /** The run could not begin, or its results could not be written. */
    SETUP(3, "the set-up failed: address in use, refused, rejected, no answer; or results are lost"),
    /** Both ends work, but their protocols or versions differ. */
    MISMATCH(4, "the peer speaks another protocol or version"),
    /** A bug of jwarp. */
    INTERNAL(5, "internal error: a bug of jwarp");

    private final int code;
    private final String sentence;

    ExitStatus(int code, String sentence) {
        this.code = code;
        this.sentence = sentence;
    }

    /** {@return the number that the shell has in {@code $?}} */
    public int code() {
        return code;
    }

    /** {@return the meaning of this status, for help and documentation} */
    public String sentence() {
        return sentence;
    }

    /** {@return the status with that code; {@link #INTERNAL} for an unknown code} */
    static ExitStatus of(int code) {
        for (ExitStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        return INTERNAL;
    }

    /** {@return the status of a command that the given signal ended} */
    public static int ofSignal(int signal) {
        return 128 + signal;
    }
}
