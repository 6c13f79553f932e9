package dev.jwarp.conformance.suite;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Watches the thread of one device: which case runs there, since when, and whether it was given up. Thread-safe. */
final class Watch {
    private @Nullable Attempt attempt;
    private @Nullable Thread thread;
    private long began;
    private boolean late;
    private boolean left;

    /** A case begins in the thread that calls this. */
    synchronized void begin(Attempt begun) {
        attempt = begun;
        thread = Thread.currentThread();
        began = System.nanoTime();
        late = false;
        if (left) {
            begun.abandon();
        }
    }

    /** The case has ended. From now on its thread is not interrupted. */
    synchronized void end() {
        attempt = null;
        // The interrupt was meant for this case, not for what its thread does next.
        boolean wished = Thread.interrupted();
        assert !wished || late || left : "interrupted without a reason";
    }

    /**
     * Gives up the case that runs if it has lasted so long.
     *
     * @param late true if its duration is the reason; false if no result is wanted any more
     */
    synchronized void abandon(long millis, boolean late) {
        left |= !late;
        Attempt running = attempt;
        Thread worker = thread;
        if (running == null || worker == null || TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) < millis) {
            return;
        }
        this.late = late;
        running.abandon();
        worker.interrupt();
    }

    /** Whether the case that ended last was given up because it lasted too long. */
    synchronized boolean late() {
        return late;
    }

    /** Whether no more results are wanted. */
    synchronized boolean left() {
        return left;
    }
}
