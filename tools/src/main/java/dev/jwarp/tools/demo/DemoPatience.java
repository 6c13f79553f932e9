package dev.jwarp.tools.demo;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long the two ends of the demo have waited for each other in vain. Both run in this process: as long as one of them works, or is given no processor to look whether
 * something came, the other one waits on. So what counts is looks, and not the time between them. Any thread.
 */
final class DemoPatience {
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    private final Duration look;
    private final long most;
    private final AtomicLongArray inVain = new AtomicLongArray(2);

    /** @param limit how long both wait before they give up; more than 0 */
    DemoPatience(Duration limit) {
        look = limit.compareTo(LONGEST_LOOK) < 0 ? limit : LONGEST_LOOK;
        most = limit.dividedBy(look);
    }

    /** {@return how long an end waits before it calls {@link #lookedInVain}} */
    Duration look() {
        return look;
    }

    /** Something came to one of the ends. */
    void moved() {
        inVain.set(0, 0);
        inVain.set(1, 0);
    }

    /**
     * An end has waited for one {@link #look}, and nothing came.
     *
     * @param server whether it is the server
     * @return whether both have done so for all their time
     */
    boolean lookedInVain(boolean server) {
        inVain.incrementAndGet(server ? 1 : 0);
        return Math.min(inVain.get(0), inVain.get(1)) >= most;
    }
}
