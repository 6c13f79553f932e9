package dev.jwarp.rnic.progress;

import dev.jwarp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The transport has its own threads; a waiting thread polls for a while, then sleeps. */
public final class ThreadedProgression extends Progression {
    private final long spinNanos;

    /** @param spinNanos time for which a waiting thread spins before it sleeps */
    public ThreadedProgression(Progressing transport, long spinNanos, LongSupplier clock) {
        super(transport, clock, null);
        this.spinNanos = spinNanos;
    }

    @Override
    public Progress kind() {
        return Progress.THREADED;
    }

    @Override
    public boolean poll() {
        return false;
    }

    @Override
    public boolean flush() {
        return false;
    }

    @Override
    boolean awaitUnready(Waitable what, long nanos) {
        long deadline = deadline(nanos);
        boolean spins = spinNanos > 0;
        long spinDeadline = spins ? deadline(spinNanos) : 0;
        long left = nanos;
        while (left > 0) {
            throwIfInterrupted();
            spins = spins && left(spinDeadline) > 0;
            if (spins) {
                Thread.onSpinWait();
            } else {
                sleep(what, left);
            }
            if (what.ready()) {
                return true;
            }
            left = left(deadline);
        }
        return what.ready();
    }

    @Override
    public void drive(long nanos) {
        throw new RdmaException(
                RdmaErrorCode.WRONG_STATE,
                "The context has threads of its own: no other thread has to wait for input and output. Open the device with inline"
                        + " progress for a loop of your own.");
    }

    @Override
    public boolean drivenElsewhere() {
        return true;
    }

    private static void sleep(Waitable what, long nanos) {
        Waiters waiters = what.waiters();
        waiters.enter();
        try {
            if (!what.ready()) {
                LockSupport.parkNanos(what, nanos);
            }
        } finally {
            waiters.leave();
        }
    }
}
