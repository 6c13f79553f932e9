package dev.jwarp.tools.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongSupplier;
import picocli.CommandLine.Help.Ansi;

/**
 * The environment of a command: its streams, clock, variables and properties. Tests pass their own.
 *
 * @param out results only
 * @param err progress, warnings, errors
 * @param nanoTime a clock for measuring, in nanoseconds
 * @param environment the environment variables
 * @param properties the system properties
 * @param interruption says when to end early
 * @param ansi whether help may be coloured
 */
public record Console(
        PrintStream out,
        PrintStream err,
        LongSupplier nanoTime,
        Map<String, String> environment,
        Properties properties,
        Interruption interruption,
        Ansi ansi) {

    /** {@return the console of this process} */
    public static Console system() {
        return new Console(
                new Results(new FileOutputStream(FileDescriptor.out)),
                System.err,
                System::nanoTime,
                System.getenv(),
                System.getProperties(),
                new Interruption(),
                Ansi.AUTO);
    }

    /**
     * Ends the command if the user has asked for that. Called where no operation is half done.
     *
     * @throws EndedEarly if the command has to end
     */
    public void endIfAsked() {
        if (interruption.requested()) {
            throw new EndedEarly();
        }
    }

    /** Prints one line of results, and asks the command to end if standard output cannot be written any more. */
    public void line(String text) {
        out.println(text);
        if (out.checkError()) {
            interruption.request(Interruption.SIGPIPE);
        }
    }

    /**
     * Checks that all results have been written, and reports lost results on standard error.
     *
     * @param status the exit status if no result is lost
     * @return the exit status
     */
    public int ended(int status) {
        String lost = out instanceof Results results ? results.lost() : null;
        if (lost == null) {
            return status;
        }
        boolean early = status == ExitStatus.OK.code() || status == ExitStatus.ofSignal(Interruption.SIGPIPE);
        if (lost.equals(Results.BROKEN_PIPE)) {
            return early ? ExitStatus.ofSignal(Interruption.SIGPIPE) : status;
        }
        note("results are lost: standard output cannot be written: " + lost);
        return early ? ExitStatus.SETUP.code() : status;
    }

    /** Prints one line for the user that is not a result. */
    public void note(String text) {
        err.println("jwarp: " + text);
    }

    /** {@return whether stack traces are wanted} */
    public boolean debug() {
        String value = environment.getOrDefault("JWARP_DEBUG", "");
        return !value.isEmpty() && !value.equals("0");
    }
}
