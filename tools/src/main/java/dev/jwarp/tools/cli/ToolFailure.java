package dev.jwarp.tools.cli;

import java.io.PrintStream;
import java.util.List;

/**
 * Ends a command with a status other than 0 and a message for the user: one sentence, then lines that say what to
 * check. This is not a bug of jwarp, so there is no stack trace.
 */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;
    private final transient List<String> details;

    /**
     * @param status the exit status of the command
     * @param sentence the message, without {@code error:} in front and without a full stop
     * @param details further lines; may be empty
     */
    public ToolFailure(ExitStatus status, String sentence, String... details) {
        super(sentence, null, false, false);
        this.status = status;
        this.details = List.of(details);
    }

    /** {@return the failure of a wrong command line} */
    public static ToolFailure usage(String sentence, String... details) {
        return new ToolFailure(ExitStatus.USAGE, sentence, details);
    }

    /**
     * Rejects a number that is less than {@code least} or more than {@code most}.
     *
     * @return the number
     */
    public static long inRange(String flag, long value, long least, long most) {
        if (value < least || value > most) {
            throw usage(flag + " " + value + " is out of range: " + least + " to " + most);
        }
        return value;
    }

    /** {@return the failure of a set-up} */
    public static ToolFailure setup(String sentence, String... details) {
        return new ToolFailure(ExitStatus.SETUP, sentence, details);
    }

    /** {@return the failure of a run} */
    public static ToolFailure failed(String sentence, String... details) {
        return new ToolFailure(ExitStatus.FAILED, sentence, details);
    }

    /** Prints the message for the user. */
    public void print(PrintStream err) {
        err.println("error: " + sentence());
        details().forEach(line -> err.println("       " + line));
    }

    /** {@return the exit status of the command} */
    public ExitStatus status() {
        return status;
    }

    /** {@return the message, without details} */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    /** {@return lines that say what to check} */
    public List<String> details() {
        return details == null ? List.of() : details;
    }
}
