package dev.jwarp.tools.link;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import java.time.Duration;

/**
 * A wait with a deadline that the user can end. It waits in slices, and looks at both between them. What comes within a
 * moment after the user's wish still counts, so that a step that is nearly done is not torn apart. One thread.
 */
final class EndableWait {
    /** The first slice, and the longest: a thousand threads that wait for long shall not wake each other all the time. */
    private static final long FIRST_SLICE_NANOS = Duration.ofMillis(50).toNanos();

    private static final Duration LONGEST_SLICE = Duration.ofMillis(500);
    private static final long GRACE_NANOS = Duration.ofMillis(300).toNanos();

    private final Console console;
    private final boolean stubborn;
    private final long deadline;
    private long giveUp = Long.MAX_VALUE;
    private long sliceNanos = FIRST_SLICE_NANOS;

    /** @param limit how long the whole wait may take, at most 100 years */
    EndableWait(Console console, Duration limit) {
        this(console, limit, false);
    }

    /** @param stubborn true to wait on whatever the user wants; for last words, so the limit should be short */
    EndableWait(Console console, Duration limit, boolean stubborn) {
        this.console = console;
        this.stubborn = stubborn;
        this.deadline = now() + limit.toNanos();
    }

    /**
     * {@return how long to wait next; zero when the time is over}
     *
     * @throws EndedEarly if the user wants the command to end, and has wanted it for a moment
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
