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
 * A thread that drives the context while no thread of the program is in a call that does: peers get their answers, and channels that were closed come to
 * their end, while the program computes. It leaves the context to a program that comes again and again, and sleeps while a thread of the program drives.
 */
final class Caretaker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Caretaker.class);

    /** Time without a call of the program before this thread takes over. */
    private static final long TICK_NANOS = 5_000_000;

    /** Time between two looks for overdue connections while this thread drives for others. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** Between two looks of a process that ends. */
    private static final Duration SLICE = Duration.ofMillis(20);

    /** Pause after a failure; the pause after the next failure is twice as long. */
    private static final long LEAST_PAUSE_NANOS = 1_000_000;

    private static final long CALL = 1L << Integer.SIZE;

    private final Context context;
    private final Thread thread;

    /** Threads of the program that are in a call, and above them how many calls have ended. */
    private final AtomicLong calls = new AtomicLong();

    /** Connections that the program has closed and that are not over. */
    private final Deadlines<StreamConnection> closing =
            new Deadlines<>(StreamConnection.CLOSING, StreamConnection::abort);

    /** Closed connections that have sent all, and whose peer has time to disconnect. */
    private final Deadlines<StreamConnection> held =
            new Deadlines<>(StreamConnection.HELD, StreamConnection::disconnectHeld);

    /** Connections with bytes that wait for further writes. */
    private final Deadlines<StreamConnection> combining = new Deadlines<>(StreamConnection.COMBINING, this::flush);

    /** What threads of the program wait for with a selector of the JDK, so that they do not drive themselves. */
    private final Set<ProgressCondition> elsewhere = ConcurrentHashMap.newKeySet();

    private volatile @Nullable ProgressCondition drivingFor;

    private volatile boolean asleep;
    /** It drives because the program is in no call. */
    private volatile boolean alone;

    /** The program has driven the context since this was last false. */
    private volatile boolean driven;

    private volatile boolean ended;
    /** Pause after the last failure. */
    private long pauseNanos;

    /** Begins to take care. */
    Caretaker(Context context) {
        this.context = context;
        thread = new Thread(this, "jwarp sockets");
        thread.setDaemon(true);
        thread.start();
    }

    /** A thread of the program has driven the context, and taken in what has come: a flush does not. */
    void drove() {
        driven = true;
    }

    /** A thread of the program begins a call that may drive the context. */
    void enter() {
        calls.getAndIncrement();
    }

    /** Its call ends. */
    void leave() {
        calls.getAndAdd(CALL - 1);
        if (asleep) {
            wake();
        }
    }

    private void wake() {
        asleep = false;
        LockSupport.unpark(thread);
    }

    /** Drives at once, until that is there: a thread of the program waits for it, but not here. */
    void driveFor(ProgressCondition condition) {
        flushAll();
        elsewhere.add(condition);
        wake();
        if (alone) {
            context.wakeup();
        }
    }

    /** The thread of the program waits no longer; the condition is true now. */
    void driveNoMoreFor(ProgressCondition condition) {
        elsewhere.remove(condition);
        if (drivingFor == condition) {
            condition.signal();
        }
    }

    /** Ends a connection that the program has closed, if it is not over by itself before. */
    void abortLater(StreamConnection connection) {
        later(closing, connection);
    }

    /** Ends a connection that has nothing more to say, if the peer does not before. */
    void disconnectLater(StreamConnection connection) {
        later(held, connection);
    }

    /** Has bytes of a connection that wait for others go: in a while, or now if this thread would look at them too late. */
    void flushLater(StreamConnection connection) {
        combining.add(connection);
        if (drivingFor == null) {
            wake();
            context.wakeup();
        } else if (combining.remove(connection)) {
            connection.output().flush();
        }
    }

    /** A thread of the program begins to wait, so no write of it follows. */
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

    /** It is over. */
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
        long seen = calls.get();
        boolean woken = true;
        while (woken && !done.getAsBoolean()) {
            Duration limit = calls.get() == seen ? most : busy;
            woken = System.nanoTime() - begun < limit.toNanos() && rest(SLICE);
        }
    }

    /** {@return whether the program has begun no call for {@code quiet}, within that time} */
    boolean awaitQuiet(Duration quiet, Duration most) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < most.toNanos()) {
            long seen = calls.get();
            if (!rest(quiet)) {
                return false;
            }
            if (calls.get() == seen) {
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
        LOG.error("something went wrong while sockets were driven; they go on", why);
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
        Thread.interrupted(); // this thread has no use of an interrupt, which would end each wait at once
    }

    private void care() {
        long seen = calls.get();
        for (ProgressCondition one : elsewhere) {
            awaitOne(one);
            return;
        }
        driven = false;
        park(Math.min(TICK_NANOS, endOverdue()));
        if (!elsewhere.isEmpty()) {
            return;
        }
        if (calls.get() != seen) {
            if (!driven) {
                context.poll(); // such as one that only sends datagrams: streams must go on
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
        drivingFor = one; // a write sends its bytes at once now: the wait below may be a long one
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
                elsewhere.add(one); // it goes on, after a look at what is overdue
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
            while (calls.get() == seen && !ended && elsewhere.isEmpty()) {
                context.await(Duration.ofNanos(endOverdue()));
            }
        } finally {
            alone = false;
        }
    }

    /** A thread of the program drives, and has for a while. */
    private void sleep(long seen) {
        asleep = true;
        while (asleep && calls.get() == seen && !ended && elsewhere.isEmpty()) {
            park(endOverdue());
        }
        asleep = false;
    }

    /** {@return how long nothing has to be ended, in nanoseconds} */
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
