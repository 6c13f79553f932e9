package dev.jwarp.tools.cli;

import java.io.PrintStream;
import java.util.List;

/**
 * Ends a command with a status other than 0 and a message for the user: one sentence, then further lines that say what
 * to look at. Not a bug of jwarp, so its stack trace is never shown.
 */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;
    private final transient List<String> details;

    /**
     * @param status how the command ends
     * @param sentence what was wrong, without {@code error:} in front and without a full stop
     * @param details lines below it, may be none
     */
    public ToolFailure(ExitStatus status, String sentence, String... details) {
        super(sentence, null, false, false);
        this.status = status;
        this.details = List.of(details);
    }

    /** {@return a wrong command line} */
    public static ToolFailure usage(String sentence, String... details) {
        return new ToolFailure(ExitStatus.USAGE, sentence, details);
    }

    /** Refuses a number that is less than {@code least} or more than {@code most}. @return the number */
    public static long inRange(String flag, long value, long least, long most) {
        if (value < least || value > most) {
            throw usage(flag + " " + value + " is out of range: " + least + " to " + most);
        }
        return value;
    }

    /** {@return something that could not be set up} */
    public static ToolFailure setup(String sentence, String... details) {
        return new ToolFailure(ExitStatus.SETUP, sentence, details);
    }

    /** {@return a run that failed} */
    public static ToolFailure failed(String sentence, String... details) {
        return new ToolFailure(ExitStatus.FAILED, sentence, details);
    }

    /** Prints it for the user. */
    public void print(PrintStream err) {
        err.println("error: " + sentence());
        details().forEach(line -> err.println("       " + line));
    }

    /** {@return how the command ends} */
    public ExitStatus status() {
        return status;
    }

    /** {@return what was wrong} */
    public String sentence() {
        return String.valueOf(getMessage());
    }

    /** {@return lines that say what to look at} */
    public List<String> details() {
        return details == null ? List.of() : details;
    }
}
