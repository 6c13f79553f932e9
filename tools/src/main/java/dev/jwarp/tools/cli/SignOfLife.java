package dev.jwarp.tools.cli;

import java.time.Duration;

/** Decides when to print the next line of progress on standard error. One thread. */
public final class SignOfLife {
    private final Console console;
    private final long intervalNanos;
    private long last;

    /** @param interval time between two lines; zero for no lines */
    public SignOfLife(Console console, Duration interval) {
        this.console = console;
        intervalNanos = interval.toNanos();
        last = console.nanoTime().getAsLong();
    }

    /** {@return an object that is due each second; never if {@code quiet}} */
    public static SignOfLife eachSecond(Console console, boolean quiet) {
        return new SignOfLife(console, quiet ? Duration.ZERO : Duration.ofSeconds(1));
    }

    /** {@return whether a line is due; if so, the next line is due an interval later} */
    public boolean due() {
        return due(console.nanoTime().getAsLong());
    }

    /** {@return the same as {@link #due()}} For callers that know the time. */
    public boolean due(long now) {
        if (intervalNanos == 0 || now - last < intervalNanos) {
            return false;
        }
        last = now;
        return true;
    }
}
