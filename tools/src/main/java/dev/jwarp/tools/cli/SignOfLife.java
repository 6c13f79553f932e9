package dev.jwarp.tools.cli;

import java.time.Duration;

/** When the user is told, on standard error, that something is still going on. One thread. */
public final class SignOfLife {
    private final Console console;
    private final long intervalNanos;
    private long last;

    /** @param interval zero for none */
    public SignOfLife(Console console, Duration interval) {
        this.console = console;
        intervalNanos = interval.toNanos();
        last = console.nanoTime().getAsLong();
    }

    /** {@return one each second, or none} */
    public static SignOfLife eachSecond(Console console, boolean quiet) {
        return new SignOfLife(console, quiet ? Duration.ZERO : Duration.ofSeconds(1));
    }

    /** {@return whether it is time for one; the next is due an interval later} */
    public boolean due() {
        return due(console.nanoTime().getAsLong());
    }

    /** {@return the same} For callers that know the time. */
    public boolean due(long now) {
        if (intervalNanos == 0 || now - last < intervalNanos) {
            return false;
        }
        last = now;
        return true;
    }
}
