package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Console;
import java.time.Duration;

/** Tells the user now and then, on standard error, that something is still going on. One thread. */
final class SignOfLife {
    private final Console console;
    private final long intervalNanos;
    private long last;

    /** @param interval zero for none */
    SignOfLife(Console console, Duration interval) {
        this.console = console;
        intervalNanos = interval.toNanos();
        last = console.nanoTime().getAsLong();
    }

    /** {@return whether it is time for one; the next is due an interval later} */
    boolean due(long now) {
        if (intervalNanos == 0 || now - last < intervalNanos) {
            return false;
        }
        last = now;
        return true;
    }

    void tell(String what) {
        console.note(what);
    }
}
