package dev.jwarp.tools.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongSupplier;
import picocli.CommandLine.Help.Ansi;

/**
 * All that a command sees of the world around it; tests hand in their own.
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

    /** {@return the real one} */
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
     * Looks whether the command shall end; for places where nothing is half done.
     *
     * @throws EndedEarly if it shall
     */
    public void endIfAsked() {
        if (interruption.requested()) {
            throw new EndedEarly();
        }
    }

    /** Prints one line of results, and asks the command to end if they cannot be written any more. */
    public void line(String text) {
        out.println(text);
        if (out.checkError()) {
            interruption.request(Interruption.SIGPIPE);
        }
    }

    /**
     * Looks whether all results have been written, and says so if not.
     *
     * @param status with which the command would end if they have
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
