package dev.jwarp.tools.cli;

/**
 * The exit status of every {@code jwarp} command. It is part of the interface: scripts depend on it. A command that a
 * signal ends leaves with 128 plus the signal's number, after it has printed what it had.
 */
public enum ExitStatus {
    /** All went well; a clean disconnect is success. */
    OK(0, "all went well"),
    /** The command ran, and what it was to show did not hold. */
    FAILED(1, "it ran, but failed: an error completion, a difference in the data, a lost peer"),
    /** The command line is wrong. */
    USAGE(2, "usage: an unknown or unsupported option, a bad value, nothing matched"),
    /** The work could not begin, or what came of it could not be written. */
    SETUP(3, "it could not be set up: address in use, refused, rejected, no answer; or results are lost"),
    /** Both ends work, and do not fit together. */
    MISMATCH(4, "the peer speaks another protocol or version"),
    /** A bug of jwarp. */
    INTERNAL(5, "internal error: a bug of jwarp");

    private final int code;
    private final String sentence;

    ExitStatus(int code, String sentence) {
        this.code = code;
        this.sentence = sentence;
    }

    /** {@return what the shell sees in {@code $?}} */
    public int code() {
        return code;
    }

    /** {@return when it is used, in words} */
    public String sentence() {
        return sentence;
    }

    /** {@return the one with that code; a bug of jwarp for a code that is none of these} */
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
