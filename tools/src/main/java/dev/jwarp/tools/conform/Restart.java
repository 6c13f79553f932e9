package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A shell command of the user that restarts the program of a device. Its output is discarded, and it may keep running.
 */
record Restart(String command, Console console) implements Runnable {
    private static final long MOMENT_MILLIS = 200;
    private static final long WHOLE_MILLIS = 5_000;

    /** Runs the command, and waits a short time for its end, to report a command that fails at once. */
    @Override
    public void run() {
        run(MOMENT_MILLIS);
    }

    /** Runs the command, and waits until it has ended, so that the previous program is gone. */
    void whole() {
        run(WHOLE_MILLIS);
    }

    private void run(long millis) {
        try {
            Process process = new ProcessBuilder("sh", "-c", command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.waitFor(millis, TimeUnit.MILLISECONDS) && process.exitValue() != 0) {
                console.note("'" + command + "' ended with status " + process.exitValue());
            }
        } catch (IOException e) {
            throw ToolFailure.setup("cannot run '" + command + "': " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
