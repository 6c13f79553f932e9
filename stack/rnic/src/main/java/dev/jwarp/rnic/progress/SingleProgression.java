package dev.jwarp.rnic.progress;

import dev.jwarp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import java.util.function.LongSupplier;

/**
 * The thread that makes this object is the only one that polls and waits, so no driver has to be chosen, and no thread
 * follows. A signal of another thread wakes it.
 */
public final class SingleProgression extends Progression {
    private final Progressing transport;

    /** Drives {@code transport}, which must be inline, on the calling thread. */
    public SingleProgression(Progressing transport, LongSupplier clock) {
        super(transport, clock, Thread.currentThread());
        this.transport = transport;
        transport.useOnlyHere();
    }

    @Override
    public Progress kind() {
        return Progress.INLINE;
    }

    @Override
    public boolean poll() {
        checkThread();
        return transport.poll();
    }

    @Override
    public boolean flush() {
        checkThread();
        return transport.flush();
    }

    @Override
    boolean awaitUnready(Waitable what, long nanos) {
        long deadline = deadline(nanos);
        for (long left = nanos; true; left = left(deadline)) {
            throwIfInterrupted();
            if (left <= 0) {
                poll();
                return what.ready();
            }
            transport.await(forEver(left) ? Long.MAX_VALUE : left);
            if (what.ready()) {
                return true;
            }
        }
    }

    @Override
    public void drive(long nanos) {
        checkThread();
        checkMayWait();
        throwIfInterrupted();
        transport.await(forEver(nanos) ? Long.MAX_VALUE : nanos);
    }

    @Override
    public void signal(Waitable what) {
        if (!isOnlyHere()) {
            transport.wakeup();
        }
    }

    /** The caller is the only thread, or that thread has ended. */
    @Override
    public boolean drivenElsewhere() {
        return false;
    }
}
