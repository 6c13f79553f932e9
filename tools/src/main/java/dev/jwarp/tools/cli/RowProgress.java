package dev.jwarp.tools.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The progress of measured rows: a bar on a terminal, otherwise one line a second. One thread. */
public final class RowProgress {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final int CELLS = 24;
    private static final long BAR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String ERASE = "\r\u001b[K";

    private final Console console;
    private final int all;
    private final boolean bar;
    private final boolean quiet;
    private final long start;
    private long toldAt;

    /** @param all how many rows there will be */
    public RowProgress(Console console, int all, boolean bar, boolean quiet) {
        this.console = console;
        this.all = all;
        this.bar = bar;
        this.quiet = quiet;
        start = console.nanoTime().getAsLong();
        toldAt = start;
    }

    /** {@return whether standard error of this process is a terminal, as far as that can be known} */
    public static boolean onTerminal(Console console) {
        if (console.err() != System.err
                || console.environment().getOrDefault("TERM", "dumb").equals("dumb")) {
            return false;
        }
        try {
            String file = Files.readSymbolicLink(STANDARD_ERROR).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * A row is about to be measured.
     *
     * @param done number of rows before it
     * @param row what it is
     */
    public void next(int done, String row) {
        long now = console.nanoTime().getAsLong();
        if (quiet || now - toldAt < (bar ? BAR_NANOS : LINE_NANOS)) {
            return;
        }
        toldAt = now;
        if (bar) {
            int full = done * CELLS / all;
            console.err()
                    .print(ERASE + "[" + "#".repeat(full) + "-".repeat(CELLS - full) + "] " + done + "/" + all + "  "
                            + seconds(now - start) + "  " + row);
            console.err().flush();
        } else {
            console.note(done + " of " + all + " done after " + seconds(now - start) + "; now " + row);
        }
    }

    /** Removes the bar, so that what comes next is on a line of its own. */
    public void end() {
        if (bar && !quiet) {
            console.err().print(ERASE);
            console.err().flush();
        }
    }

    private static String seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
    }
}
