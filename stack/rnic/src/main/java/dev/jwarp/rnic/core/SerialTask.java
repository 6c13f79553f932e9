package dev.jwarp.rnic.core;

import dev.jwarp.base.Ringer;
import dev.jwarp.rnic.progress.Progression;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Does something as often as it is asked for, by one thread at a time: a thread that asks while another one is at it leaves it to
 * that one, which goes on; but not for long, if it has other things to do too. Any thread.
 */
public abstract class SerialTask {
    /** How often one thread does it before it does something else. */
    private static final int ROUNDS = 2;

    private final AtomicInteger asked = new AtomicInteger();

    /** Has it done soon: once, however often that is asked for. */
    private final Ringer bell;

    /** Nothing is asked for yet. */
    protected SerialTask(Progression progression) {
        bell = new Ringer(progression::later, this::rung);
    }

    /** Does what there is to do, or a good part of it: then it asks again. One thread at a time. */
    protected abstract void doAll();

    /** It threw that. Throws nothing. */
    protected abstract void failed(Throwable cause);

    /** Does what there is; or the thread that is at it does. Also from within {@link #doAll}, which is not entered again then. */
    public final void ask() {
        if (asked.getAndIncrement() != 0) {
            return;
        }
        for (int rounds = 0; rounds < ROUNDS; rounds++) {
            int seen = asked.get();
            try {
                doAll();
            } catch (Throwable e) {
                failed(e);
            }
            if (asked.addAndGet(-seen) == 0) {
                return;
            }
        }
        asked.set(0); // who asks from now on does it; what was asked for until now comes with what follows
        askLater();
    }

    /** Soon, on a thread that moves what the context has; not within this call. Under any lock. */
    public final void askLater() {
        bell.ring();
    }

    private void rung() {
        bell.heard();
        ask();
    }
}
