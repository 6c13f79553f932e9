package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that drives the context while no thread of the program does, so that peers get answers and closed channels
 * end while the program computes. It leaves the context to a program that calls often, and sleeps while a thread of the
 * program drives.
 */
final class Caretaker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Caretaker.class);

    /** Time without a call of the program before this thread takes over. */
    private static final long TICK_NANOS = 5_000_000;

    /** Time between two looks for overdue connections while this thread drives for others. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** Time between two checks at the end of the process. */
    private static final Duration SLICE = Duration.ofMillis(20);

    /** Pause after a failure; the pause after the next failure is twice as long. */
    private static final long LEAST_PAUSE_NANOS = 1_000_000;

    private static final long CALL = 1L << Integer.SIZE;

    private final Context context;
    private final Thread thread;

    /** In the low half the number of threads of the program in a call, in the high half the number of ended calls. */
    private final AtomicLong calls = new AtomicLong();

    /** In the high half the number of calls that only flush. Concurrent increments may be lost. */
    private final AtomicLong flushes = new AtomicLong();

    /** Connections that the program has closed and that have not ended. */
    private final Deadlines<StreamConnection> closing =
            new Deadlines<>(StreamConnection.CLOSING, StreamConnection::abort);

    /** Closed connections that have sent everything, and whose peer has time to disconnect. */
    private final Deadlines<StreamConnection> held =
            new Deadlines<>(StreamConnection.HELD, StreamConnection::disconnectHeld);

    /** Connections with bytes that wait for further writes. */
    private final Deadlines<StreamConnection> combining = new Deadlines<>(StreamConnection.COMBINING, this::flush);

    /** Conditions of threads that wait with a selector of the JDK, and therefore do not drive the context. */
    private final Set<ProgressCondition> elsewhere = ConcurrentHashMap.newKeySet();

    private volatile @Nullable ProgressCondition drivingFor;

    private volatile boolean asleep;
    /** Whether this thread drives because the program is in no call. */
    private volatile boolean alone;

    /** Whether the program has driven the context since the field was reset. */
    private volatile boolean driven;

    private volatile boolean ended;
    /** Pause after the last failure. */
    private long pauseNanos;

    /** Starts the thread. */
    Caretaker(Context context) {
        this.context = context;
        thread = new Thread(this, "jwarp sockets");
        thread.setDaemon(true);
        thread.start();
    }

    /** Notes that a thread of the program has driven the context, including its input; a flush does not count. */
    void drove() {
        driven = true;
    }

    /** Notes that a thread of the program begins a call that may drive the context. */
    void enter() {
        calls.getAndIncrement();
    }

    /** Notes the end of such a call. */
    void leave() {
        calls.getAndAdd(CALL - 1);
        if (asleep) {
            wake();
        }
    }

    /** Notes a call of the program that has sent, and has not driven input. A sleeping caretaker sleeps on. */
    void flushed() {
        flushes.setOpaque(flushes.getOpaque() + CALL);
    }

    /** {@return a number that each call of the program changes; its low half is the number of threads that may drive} */
    private long calls() {
        return calls.get() + flushes.getOpaque();
    }

    private void wake() {
        asleep = false;
        LockSupport.unpark(thread);
    }

    /** Drives at once, until the condition is true: a thread of the program waits for it with a selector of the JDK. */
    void driveFor(ProgressCondition condition) {
        flushAll();
        elsewhere.add(condition);
        wake();
        if (alone) {
            context.wakeup();
        }
    }

    /** Ends {@link #driveFor}: the thread of the program does not wait any more. The condition must be true now. */
    void driveNoMoreFor(ProgressCondition condition) {
        elsewhere.remove(condition);
        if (drivingFor == condition) {
            condition.signal();
        }
    }

    /** Aborts a connection that the program has closed, if it does not end in time. */
    void abortLater(StreamConnection connection) {
        later(closing, connection);
    }

    /** Disconnects a connection that has sent everything, if the peer does not do so in time. */
    void disconnectLater(StreamConnection connection) {
        later(held, connection);
    }

    /** Flushes combined bytes of a connection after a while, or now if this thread would be too late. */
    void flushLater(StreamConnection connection) {
        combining.add(connection);
        if (drivingFor == null) {
            wake();
            context.wakeup();
        } else if (combining.remove(connection)) {
            connection.output().flush();
        }
    }

    /** Flushes all combined bytes, because a thread of the program begins to wait and therefore writes no more. */
    void flushAll() {
        combining.runAll();
    }

    private void flush(StreamConnection connection) {
        connection.output().flush();
        if (connection.output().posted()) {
            context.poll();
        }
    }

    private void later(Deadlines<StreamConnection> deadlines, StreamConnection connection) {
        deadlines.add(connection);
        wake();
        context.wakeup();
    }

    /** Forgets a connection that has ended. */
    void over(StreamConnection connection) {
        combining.remove(connection);
        held.remove(connection);
        closing.remove(connection);
    }

    /**
     * Waits until {@code done} is true. The wait ends after {@code most}, or after {@code busy} if the program begins or ends calls meanwhile. An interrupt ends the
     * wait.
     */
    void await(BooleanSupplier done, Duration most, Duration busy) {
        long begun = System.nanoTime();
        long seen = calls();
        boolean woken = true;
        while (woken && !done.getAsBoolean()) {
            Duration limit = calls() == seen ? most : busy;
            woken = System.nanoTime() - begun < limit.toNanos() && rest(SLICE);
        }
    }

    /** {@return whether the program has begun no call for {@code quiet}, within that time} */
    boolean awaitQuiet(Duration quiet, Duration most) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < most.toNanos()) {
            long seen = calls();
            if (!rest(quiet)) {
                return false;
            }
            if (calls() == seen) {
                return true;
            }
        }
        return false;
    }

    /** {@return whether no interrupt came meanwhile} */
    private static boolean rest(Duration time) {
        try {
            Thread.sleep(time.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits until all closed connections are over. The wait ends early after {@code most}, and when the thread is interrupted. */
    void awaitClosed(Duration most) {
        closing.awaitNone(most);
    }

    @Override
    public void run() {
        while (!ended) {
            try {
                care();
                pauseNanos = 0;
            } catch (RdmaException e) {
                if (e.code() == RdmaErrorCode.CLOSED) {
                    return;
                }
                if (e.code() != RdmaErrorCode.INTERRUPTED || !Thread.interrupted()) {
                    wentWrong(e);
                }
            } catch (RuntimeException | Error e) {
                wentWrong(e);
            }
        }
    }

    private void wentWrong(Throwable why) {
        LOG.error("an error occurred while sockets were driven; the thread that drives them continues", why);
        pause();
    }

    /** Pauses after a failure, so that a failure that repeats neither uses up a processor nor fills the log. */
    private void pause() {
        pauseNanos = Math.min(Math.max(2 * pauseNanos, LEAST_PAUSE_NANOS), LOOK_NANOS);
        long until = System.nanoTime() + pauseNanos;
        for (long left = pauseNanos; left > 0 && !ended; left = until - System.nanoTime()) {
            park(left);
        }
    }

    private void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
        Thread.interrupted(); // cleared, because an interrupt would end every wait of this thread at once
    }

    private void care() {
        long seen = calls();
        for (ProgressCondition one : elsewhere) {
            awaitOne(one);
            return;
        }
        driven = false;
        park(Math.min(TICK_NANOS, endOverdue()));
        if (!elsewhere.isEmpty()) {
            return;
        }
        if (calls() != seen) {
            if (!driven) {
                context.poll(); // for a program that only sends datagrams: its streams must make progress, too
            }
            return;
        }
        if ((int) seen == 0) {
            driveAlone(seen);
        } else {
            sleep(seen);
        }
    }

    private void awaitOne(ProgressCondition one) {
        drivingFor = one; // from now on a write sends its bytes at once, because the wait below may be long
        try {
            drive(one, Math.min(endOverdue(), LOOK_NANOS));
        } finally {
            drivingFor = null;
        }
    }

    private void drive(ProgressCondition one, long nanos) {
        elsewhere.remove(one);
        try {
            if (!one.await(Duration.ofNanos(nanos))) {
                elsewhere.add(one); // it continues after overdue connections are ended
            }
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.CLOSED || ended) {
                throw e;
            } // the selector is closed
        }
    }

    private void driveAlone(long seen) {
        alone = true;
        try {
            while (calls() == seen && !ended && elsewhere.isEmpty()) {
                context.await(Duration.ofNanos(endOverdue()));
            }
        } finally {
            alone = false;
        }
    }

    /** Sleeps while a thread of the program drives. */
    private void sleep(long seen) {
        asleep = true;
        while (asleep && calls() == seen && !ended && elsewhere.isEmpty()) {
            park(endOverdue());
        }
        asleep = false;
    }

    /** {@return nanoseconds until the next deadline} Runs overdue actions. */
    private long endOverdue() {
        return Math.min(combining.run(), Math.min(held.run(), closing.run()));
    }

    /** Ends the thread. The context is closed afterwards. */
    void end() {
        ended = true;
        wake();
        context.wakeup();
        @Nullable InterruptedException interrupted = null;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = e;
            }
        }
        if (interrupted != null) {
            Thread.currentThread().interrupt();
        }
    }
}
