package dev.jwarp.rnic.core;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Does something as often as it is asked for, by one thread at a time: a thread that asks while another one is at it leaves it to
 * that one, which goes on. Any thread.
 */
public abstract class Serially {
    private final AtomicInteger asked = new AtomicInteger();

    /** Nothing is asked for yet. */
    protected Serially() {}

    /** Does all that there is to do. One thread at a time; throws nothing. */
    protected abstract void doAll();

    /** Does what there is; or the thread that is at it does. Also from within {@link #doAll}, which is not entered again then. */
    public final void ask() {
        if (asked.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            doAll();
            seen = asked.addAndGet(-seen); // what was asked for meanwhile
        } while (seen != 0);
    }
}
