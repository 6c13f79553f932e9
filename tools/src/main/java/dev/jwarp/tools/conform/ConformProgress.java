package dev.jwarp.tools.conform;

import dev.jwarp.conformance.suite.Result;
import dev.jwarp.tools.cli.Console;

/** A line on standard error now and then, so that a long run shows life. Called by the runner, one result at a time. */
final class ConformProgress {
    private final Console console;
    private final int all;
    private final long interval;
    private long next;
    private int done;
    private int failed;

    /**
     * Watches a run.
     *
     * @param all how many cases there are
     * @param seconds between two lines; 0 for none
     */
    ConformProgress(Console console, int all, double seconds) {
        this.console = console;
        this.all = all;
        this.interval = (long) (seconds * 1e9);
        this.next = console.nanoTime().getAsLong() + interval;
    }

    void ended(Result result) {
        done++;
        failed += result.failed() ? 1 : 0;
        long now = console.nanoTime().getAsLong();
        if (interval > 0 && now >= next && done < all) {
            next = now + interval;
            console.note(done + " of " + all + " cases, " + failed + " failed; last "
                    + result.test().id());
        }
    }
}
