package dev.jwarp.rnic.progress;

import dev.jwarp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a context comes forward, and how its threads wait: the only place of the RNIC with threads and a clock. Any
 * thread.
 */
public abstract class Progression {
    private final Progressing transport;
    private final LongSupplier clock;

    Progression(Progressing transport, LongSupplier clock) {
        this.transport = transport;
        this.clock = clock;
    }

    /** {@return the clock of a real device and its transports: {@link System#nanoTime}} */
    public static LongSupplier systemClock() {
        return System::nanoTime;
    }

    /** {@return which way of progress this is} */
    public abstract Progress kind();

    /** Does what can be done without waiting, if that is this thread's business. Answers whether anything was done. */
    public abstract boolean poll();

    /** As {@link #poll}, but without a look at what came, if that is cheaper. */
    public abstract boolean flush();

    /**
     * Waits until {@code what} is ready.
     *
     * @param nanos how long at most; not positive: does not wait, but polls once
     * @return whether it is ready
     * @throws RdmaException INTERRUPTED
     */
    public final boolean await(Waitable what, long nanos) {
        if (what.ready()) {
            return true;
        }
        if (nanos > 0) {
            checkMayWait();
        }
        return awaitUnready(what, nanos);
    }

    /** As {@link #await}, by a thread that may wait, for what was not ready just now. */
    abstract boolean awaitUnready(Waitable what, long nanos);

    /**
     * Inline: does what can be done, and waits for that if there is nothing.
     *
     * @throws RdmaException INTERRUPTED; WRONG_STATE if there is nothing to drive, or the caller is driving
     */
    public abstract void drive(long nanos);

    /** Makes a thread in {@link #drive} come back. */
    public final void wakeup() {
        transport.wakeup();
    }

    /**
     * Runs {@code task} soon on a thread that moves connections or datagrams, never within this call. See {@link
     * Progressing#later}.
     */
    public final void later(Runnable task) {
        transport.later(task);
    }

    /** {@return whether the caller is a thread that moves connections or datagrams and is doing so: it must not wait} */
    public final boolean movedHere() {
        return transport.movedHere();
    }

    /** Throws WRONG_STATE if the caller must not wait, because it moves what it would wait for. */
    public final void checkMayWait() {
        if (movedHere()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "This call would have to wait, and the caller is the thread that moves connections or datagrams of the context, in a"
                            + " handler or on an event loop. Make the call on another thread, or when there is nothing to wait for: a"
                            + " connection is closed when its DISCONNECTED event has come.");
        }
    }

    /** Wakes the threads that wait for {@code what}; to be called after it has become ready. Cheap if none waits. */
    public void signal(Waitable what) {
        VarHandle.fullFence();
        Waiters waiters = what.waiters();
        if (waiters.any()) {
            waiters.wakeAll();
        }
    }

    /** {@return whether another thread may be in a call of the transport, or of what it calls} */
    public abstract boolean drivenElsewhere();

    /** {@return the time, nanoseconds, of the same epoch as in all calls of the transport} */
    public final long now() {
        return clock.getAsLong();
    }

    /** {@return nanoseconds; the largest number for durations beyond 292 years; 0 for negative ones} */
    public static long nanos(Duration duration) {
        if (RdmaException.requireArgument(duration, "duration").isNegative()) {
            return 0;
        }
        return duration.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L ? Long.MAX_VALUE : duration.toNanos();
    }

    /** {@return what {@code supply} has, looked for once more if this thread made some progress; null if it has nothing now} */
    public final <E> @Nullable E pollNext(Supply<E> supply) {
        E next = supply.take();
        return next == null && poll() ? supply.take() : next;
    }

    /**
     * Waits until {@code supply} has something for this thread: another one may be quicker to take what has come.
     *
     * @param nanos how long at most
     * @return null if there was nothing in time
     * @throws RdmaException INTERRUPTED, or CLOSED
     */
    public final <E> @Nullable E awaitNext(Supply<E> supply, long nanos) {
        long start = now();
        long left = nanos;
        while (await(supply, left)) {
            E next = supply.take();
            if (next != null) {
                return next;
            }
            supply.checkOpen();
            left = nanos - (now() - start);
        }
        return null;
    }

    /** As {@link #await}, but an interrupt does not end it; it is kept for later. */
    public final boolean awaitUninterruptibly(Waitable what, long nanos) {
        boolean interrupted = Thread.interrupted();
        long start = now();
        try {
            while (true) {
                try {
                    return await(what, nanos - (now() - start));
                } catch (RdmaException e) {
                    if (e.code() != RdmaErrorCode.INTERRUPTED || !Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@return whether a wait of so long has no end: more than 70 years} */
    static boolean forEver(long nanos) {
        return nanos >= Long.MAX_VALUE / 4;
    }

    /** {@return the moment {@code nanos} from now, or the end of time} */
    final long deadline(long nanos) {
        long now = now();
        // nanoTime may be negative: compare distances, not moments.
        return forEver(nanos) ? now + Long.MAX_VALUE / 2 : now + Math.max(nanos, 0);
    }

    static void throwIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new RdmaException(
                    RdmaErrorCode.INTERRUPTED,
                    "The thread was interrupted while it waited. Its interrupt flag is still set.");
        }
    }
}
