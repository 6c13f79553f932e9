package dev.jwarp.tools.link;

import dev.jwarp.tools.Console;
import dev.jwarp.tools.EndedEarly;
import java.time.Duration;

/** A wait with a deadline that the user can end. It waits in slices, and looks at both between them. One thread. */
final class Patience {
    private static final Duration SLICE = Duration.ofMillis(100);

    private final Console console;
    private final boolean stubborn;
    private final long deadline;

    /** @param limit how long the whole wait may take, at most 100 years */
    Patience(Console console, Duration limit) {
        this(console, limit, false);
    }

    /** @param stubborn true to wait on whatever the user wants; for last words, so the limit should be short */
    Patience(Console console, Duration limit, boolean stubborn) {
        this.console = console;
        this.stubborn = stubborn;
        this.deadline = console.nanoTime().getAsLong() + limit.toNanos();
    }

    /**
     * {@return how long to wait next; zero when the time is over}
     *
     * @throws EndedEarly if the user wants the command to end
     */
    Duration next() {
        if (!stubborn && console.interruption().requested()) {
            throw new EndedEarly();
        }
        long left = deadline - console.nanoTime().getAsLong();
        if (left <= 0) {
            return Duration.ZERO;
        }
        return left > SLICE.toNanos() ? SLICE : Duration.ofNanos(left);
    }
}
