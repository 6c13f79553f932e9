package dev.jwarp.tools.link;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import java.time.Duration;

/**
 * A wait with a deadline that the user can end early. The wait consists of slices, between which it checks the deadline
 * and the user's request. After the request the wait continues for a short grace period, so that a step that is nearly
 * done can finish. One thread.
 */
final class EndableWait {
    /**
     * The first slice. Slices grow up to the longest, so that a thousand waiting threads do not wake up all the time.
     */
    private static final long FIRST_SLICE_NANOS = Duration.ofMillis(50).toNanos();

    private static final Duration LONGEST_SLICE = Duration.ofMillis(500);
    private static final long GRACE_NANOS = Duration.ofMillis(300).toNanos();

    private final Console console;
    private final boolean stubborn;
    private final long deadline;
    private long giveUp = Long.MAX_VALUE;
    private long sliceNanos = FIRST_SLICE_NANOS;

    /** @param limit time limit of the whole wait, at most 100 years */
    EndableWait(Console console, Duration limit) {
        this(console, limit, false);
    }

    /** @param stubborn whether to ignore the user's request to end; for the end of a connection, with a short limit */
    EndableWait(Console console, Duration limit, boolean stubborn) {
        this.console = console;
        this.stubborn = stubborn;
        this.deadline = now() + limit.toNanos();
    }

    /**
     * {@return the length of the next slice; zero after the time limit}
     *
     * @throws EndedEarly if the user has asked the command to end, and the grace period is over
     */
    Duration next() {
        long now = now();
        if (!stubborn && console.interruption().requested()) {
            giveUp = giveUp == Long.MAX_VALUE ? now + GRACE_NANOS : giveUp;
            if (now >= giveUp) {
                throw new EndedEarly();
            }
        }
        long left = Math.min(deadline, giveUp) - now;
        if (left <= 0) {
            return Duration.ZERO;
        }
        if (left > sliceNanos && sliceNanos >= LONGEST_SLICE.toNanos()) {
            return LONGEST_SLICE;
        }
        long slice = Math.min(left, sliceNanos);
        sliceNanos *= 2;
        return Duration.ofNanos(slice);
    }

    private long now() {
        return console.nanoTime().getAsLong();
    }
}
