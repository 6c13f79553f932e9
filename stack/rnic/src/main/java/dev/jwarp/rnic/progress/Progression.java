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
 * Makes progress for a context, and lets its threads wait. Apart from {@code stat} and {@code portmap.nio}, only this
 * package has threads and a clock. Any thread.
 */
public abstract class Progression {
    /** The deadline of a wait without a timeout. */
    private static final long NEVER = Long.MAX_VALUE;

    private final Progressing transport;
    private final LongSupplier clock;

    /** The only thread that may use the context; null for any thread. */
    private final @Nullable Thread only;

    Progression(Progressing transport, LongSupplier clock, @Nullable Thread only) {
        this.transport = transport;
        this.clock = clock;
        this.only = only;
    }

    /** {@return whether only one thread may use the context, so that no lock is needed} */
    public final boolean single() {
        return only != null;
    }

    /** {@return whether the caller is the only thread that may use the context} */
    final boolean isOnlyHere() {
        return only == Thread.currentThread();
    }

    /** Throws WRONG_STATE if only another thread may use the context. When that thread has ended, any thread may. */
    public final void checkThread() {
        if (only != null && only != Thread.currentThread() && only.isAlive()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "Only the thread " + only.getName()
                            + " may use this context, which it opened with jwarp.threads=single. Thread "
                            + Thread.currentThread().getName()
                            + " may only wake that thread up. Open the context without this setting to use it in"
                            + " several threads.");
        }
    }

    /** {@return the clock of a real device and its transports: {@link System#nanoTime}} */
    public static LongSupplier systemClock() {
        return System::nanoTime;
    }

    /** {@return the kind of progress} */
    public abstract Progress kind();

    /** {@return whether the call did anything} Inline: does the input and output that is possible without waiting. */
    public abstract boolean poll();

    /** As {@link #poll}, but may leave out input if that is cheaper. */
    public abstract boolean flush();

    /**
     * Waits until {@code what} is ready.
     *
     * @param nanos timeout; if not positive, the call polls once and does not wait
     * @return whether it is ready
     * @throws RdmaException INTERRUPTED
     */
    public final boolean await(Waitable what, long nanos) {
        checkThread();
        if (what.ready()) {
            return true;
        }
        if (nanos > 0) {
            checkMayWait();
        }
        return awaitUnready(what, nanos);
    }

    /** As {@link #await}, if the caller may wait and {@code what} was not ready. */
    abstract boolean awaitUnready(Waitable what, long nanos);

    /**
     * Inline: waits up to {@code nanos} for input or output that is possible, and does it.
     *
     * @throws RdmaException INTERRUPTED; WRONG_STATE with threaded progress, or if the caller is driving already
     */
    public abstract void drive(long nanos);

    /** Makes a thread in {@link #drive} return. */
    public final void wakeup() {
        transport.wakeup();
    }

    /**
     * Runs {@code task} soon on a thread that makes progress, never within this call. See {@link Progressing#later}.
     */
    public final void later(Runnable task) {
        transport.later(task);
    }

    /** {@return whether the caller is making progress right now, so that it must not wait} */
    public final boolean movedHere() {
        return transport.movedHere();
    }

    /** Throws WRONG_STATE if the caller is making progress: it would wait for itself. */
    public final void checkMayWait() {
        if (movedHere()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "This call would have to wait, and the caller is the thread that moves connections or datagrams of the context, in a"
                            + " handler or on an event loop. Make the call on another thread, or when there is nothing to wait for: a"
                            + " connection is closed when its DISCONNECTED event has come.");
        }
    }

    /**
     * Wakes the threads that wait for {@code what}; call it after {@code what} has become ready. Cheap if no thread
     * waits.
     */
    public void signal(Waitable what) {
        VarHandle.fullFence();
        Waiters waiters = what.waiters();
        if (waiters.any()) {
            waiters.wakeAll();
        }
    }

    /** {@return whether another thread may be inside the transport or its callbacks} */
    public abstract boolean drivenElsewhere();

    /** {@return the time in nanoseconds, on the transport's clock} */
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

    /** {@return the next element of {@code supply}, after a poll if there was none at first; null if there is none} */
    public final <E> @Nullable E pollNext(Supply<E> supply) {
        checkThread();
        E next = supply.take();
        return next == null && poll() ? supply.take() : next;
    }

    /**
     * Waits for an element of {@code supply}. Another thread may take an element first; the wait goes on then.
     *
     * @param nanos timeout
     * @return null after the timeout
     * @throws RdmaException INTERRUPTED, or CLOSED
     */
    public final <E> @Nullable E awaitNext(Supply<E> supply, long nanos) {
        long deadline = deadline(nanos);
        long left = nanos;
        while (await(supply, left)) {
            E next = supply.take();
            if (next != null) {
                return next;
            }
            supply.checkOpen();
            left = left(deadline);
        }
        return null;
    }

    /** As {@link #await}, but an interrupt does not end the wait; the interrupt flag is set at the return. */
    public final boolean awaitUninterruptibly(Waitable what, long nanos) {
        boolean interrupted = Thread.interrupted();
        long deadline = deadline(nanos);
        try {
            while (true) {
                try {
                    return await(what, left(deadline));
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

    /** {@return whether the timeout counts as none: more than 70 years} */
    static boolean forEver(long nanos) {
        return nanos >= Long.MAX_VALUE / 4;
    }

    /** {@return the time {@code nanos} from now, for {@link #left}} Without a timeout the clock is not read. */
    public final long deadline(long nanos) {
        return forEver(nanos) ? NEVER : now() + Math.max(nanos, 0);
    }

    /** {@return the nanoseconds until a time of {@link #deadline}} */
    public final long left(long deadline) {
        return deadline == NEVER ? NEVER : deadline - now(); // nanoTime may be negative: differences count
    }

    static void throwIfInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new RdmaException(
                    RdmaErrorCode.INTERRUPTED,
                    "The thread was interrupted while it waited. Its interrupt flag is still set.");
        }
    }
}
