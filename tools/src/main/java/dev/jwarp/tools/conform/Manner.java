package dev.jwarp.tools.conform;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.tools.cli.ToolFailure;
import picocli.CommandLine.Option;

/** The flags of the tester's time limits and tolerance. */
final class Manner {
    /** Seconds without data that end a fuzzed conversation. They are few because there are many conversations. */
    private static final double HASTY_QUIET = 0.005;

    private static final double USUAL_QUIET = 0.2;

    private static final int MOST_SECONDS = 3600;
    private static final long MOST_DELAY = 60_000;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Time limit for expected answers; default 2. Ends of connections have four times as long.")
    private double timeout;

    @Option(
            names = "--quiet-time",
            paramLabel = "SECONDS",
            description = "Time without data that counts as silence; default 0.2, with --fuzz 0.005.")
    private double quietTime;

    @Option(
            names = "--settle",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "With --peer: time between the device's Reply and the first FPDU; default 0. For devices that"
                    + " lose an FPDU that follows the Reply at once.")
    private double settle;

    @Option(
            names = "--delay",
            paramLabel = "MS",
            defaultValue = "0",
            description = "Milliseconds to wait before each connection; default 0.")
    private long delay;

    @Option(
            names = "--swapped-terminates",
            description =
                    "Accept Terminates with the bit order of Linux's siw in their control field; only the cases for the"
                            + " layout fail.")
    private boolean swappedTerminates;

    Patience patience() {
        return patience(USUAL_QUIET);
    }

    Patience hasty() {
        return patience(HASTY_QUIET);
    }

    private Patience patience(double quietUnlessGiven) {
        double quiet = quietTime > 0 ? quietTime : quietUnlessGiven;
        return Patience.of(millis(timeout), millis(quiet), 4 * millis(timeout))
                .with(millis(settle), delay, swappedTerminates);
    }

    /** Rejects times that are negative, not a number or too long. */
    void check() {
        check("--timeout", timeout, 0.001);
        check("--quiet-time", quietTime, 0);
        check("--settle", settle, 0);
        if (delay < 0 || delay > MOST_DELAY) {
            throw ToolFailure.usage("--delay " + delay + " is out of range: 0 to " + MOST_DELAY + " milliseconds");
        }
    }

    private static void check(String flag, double seconds, double least) {
        if (!(seconds >= least && seconds <= MOST_SECONDS)) {
            throw ToolFailure.usage(
                    flag + " " + seconds + " is out of range: " + least + " to " + MOST_SECONDS + " seconds");
        }
    }

    private static long millis(double seconds) {
        return Math.round(seconds * 1000);
    }
}
