package dev.jwarp.rnic.progress;

import dev.jwarp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that polls or waits drives the transport; one thread at a time is the driver. Other waiting threads
 * (followers) sleep. A follower wakes up when its condition is ready, or when the driver stops and the follower is the
 * one to take over.
 *
 * <p>A thread that spins in {@link #poll} takes over from a waiting driver. Otherwise its polls would do nothing, and
 * each of its posts would have to wake the driver. One of the followers, the deputy, regularly checks whether the
 * spinning thread still polls.
 *
 * <p>The driver is chosen here, although a transport itself allows only one polling thread, for two reasons. The
 * condition of the driver is known before the driver enters the transport, so a signal can wake the transport. And a
 * thread that finds another driver sleeps, where the transport would only reject its poll.
 */
public final class InlineProgression extends Progression {
    /** A thread spins if this many polls in {@link #SPINNING_NANOS} found another driver. */
    private static final int POLLS_IN_VAIN = 100;

    private static final long SPINNING_NANOS = 200_000;

    /** Interval of the deputy's checks, and the number of polls in it that counts as spinning. */
    private static final long LOOK_NANOS = 500_000;

    private static final int POLLS_A_LOOK = 20;

    private static final VarHandle DRIVER;

    static {
        try {
            DRIVER = MethodHandles.lookup().findVarHandle(InlineProgression.class, "driver", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Progressing transport;

    /** The condition of a thread that only drives. */
    private final Waitable neverReady = new Waitable() {
        private final Waiters none = new Waiters();

        @Override
        public boolean ready() {
            return false;
        }

        @Override
        public Waiters waiters() {
            return none;
        }
    };

    /** All followers, for any condition. One of them takes over when the driver stops. */
    private final Waiters followers = new Waiters();

    private volatile @Nullable Thread driver;

    /** The condition of the driver; null if the driver only polls, or if there is no driver. */
    private volatile @Nullable Waitable awaited;

    /** The thread that spins in {@link #poll}; null if there is none. */
    private volatile @Nullable Thread spinner;

    /** Whether a follower is the deputy, which watches the spinner. */
    private final AtomicBoolean deputy = new AtomicBoolean();

    /** Number of polls of the spinner, the only writer. */
    private volatile long polls;

    /** {@link #polls} at the last check, and the time of that check. Guarded by this. */
    private long pollsSeen;

    private long pollsSeenAt;

    /**
     * Polls that found another driver, since the driver began to wait or since {@link #vainSince}. Concurrent
     * increments may be lost.
     */
    private int pollsInVain;

    private long vainSince;

    /** Drives {@code transport}, which must be inline. */
    public InlineProgression(Progressing transport, LongSupplier clock) {
        super(transport, clock, null);
        this.transport = transport;
    }

    @Override
    public Progress kind() {
        return Progress.INLINE;
    }

    @Override
    public boolean poll() {
        if (spinner == Thread.currentThread()) {
            long next = polls + 1;
            polls = next;
        }
        if (!startDriving()) {
            pollInVain();
            return false;
        }
        try {
            return transport.poll();
        } finally {
            stopDriving();
        }
    }

    private void pollInVain() {
        Thread caller = Thread.currentThread();
        if (awaited == null || driver == caller || spinner == caller) {
            return;
        }
        if (pollsInVain == 0) {
            vainSince = now();
        }
        if (++pollsInVain >= POLLS_IN_VAIN) {
            pollsInVain = 0;
            long now = now();
            if (now - vainSince < SPINNING_NANOS) {
                spins(caller, now);
                transport.wakeup();
            }
        }
    }

    private synchronized void spins(Thread thread, long now) {
        pollsSeen = polls;
        pollsSeenAt = now;
        spinner = thread;
    }

    /** {@return whether another thread spins} If not, the caller may drive. */
    private boolean spinsElsewhere() {
        return spinner != null && looksSpinning();
    }

    private synchronized boolean looksSpinning() {
        Thread other = spinner;
        if (other == null) {
            return false;
        }
        long now = now();
        if (other != Thread.currentThread()) {
            if (now - pollsSeenAt < LOOK_NANOS) {
                return true;
            }
            if (polls - pollsSeen >= POLLS_A_LOOK) {
                pollsSeen = polls;
                pollsSeenAt = now;
                return true;
            }
        }
        spinner = null;
        return false;
    }

    @Override
    public boolean flush() {
        if (!startDriving()) {
            return false;
        }
        try {
            return transport.flush();
        } finally {
            stopDriving();
        }
    }

    @Override
    boolean awaitUnready(Waitable what, long nanos) {
        long deadline = deadline(nanos);
        boolean followed = false;
        try {
            for (long left = nanos; true; left = left(deadline)) {
                throwIfInterrupted();
                if (left <= 0) {
                    poll();
                    return what.ready();
                }
                if (!drive(what, left)) {
                    followed = true;
                    follow(what, left);
                }
                if (what.ready()) {
                    return true;
                }
            }
        } finally {
            if (followed) {
                handOver(); // this thread may have been woken to take over
            }
        }
    }

    /** Drives the transport once, unless {@code what} is ready. Returns false if another thread drives or spins. */
    private boolean drive(Waitable what, long nanos) {
        if (spinsElsewhere() || !startDriving()) {
            return false;
        }
        try {
            pollsInVain = 0;
            awaited = what;
            // Checked again as the driver: from here on a signal wakes the transport.
            if (!what.ready()) {
                // Some transports wait at a lower cost without a timeout.
                transport.await(forEver(nanos) ? Long.MAX_VALUE : nanos);
            }
        } finally {
            awaited = null;
            stopDriving();
        }
        return true;
    }

    @Override
    public void drive(long nanos) {
        checkMayWait();
        throwIfInterrupted();
        if (!drive(neverReady, nanos)) {
            try {
                follow(neverReady, nanos);
            } finally {
                handOver();
            }
        }
    }

    private void follow(Waitable what, long nanos) {
        Waiters same = what.waiters();
        same.enter();
        followers.enter();
        boolean looks = spinner != null && deputy.compareAndSet(false, true);
        try {
            if ((driver != null || spinner != null) && !what.ready()) {
                LockSupport.parkNanos(this, looks ? Math.min(nanos, LOOK_NANOS) : nanos);
            }
        } finally {
            if (looks) {
                deputy.set(false);
            }
            followers.leave();
            same.leave();
        }
    }

    @Override
    public void signal(Waitable what) {
        super.signal(what);
        if (awaited == what && driver != Thread.currentThread()) {
            transport.wakeup();
        }
    }

    @Override
    public boolean drivenElsewhere() {
        Thread drives = driver;
        return drives != null && drives != Thread.currentThread();
    }

    private boolean startDriving() {
        return driver == null && DRIVER.compareAndSet(this, null, Thread.currentThread());
    }

    private void stopDriving() {
        driver = null;
        if (spinner != Thread.currentThread()) { // the spinner drives again at once
            handOver();
        }
    }

    /** Wakes a follower, which takes over if there is no driver, or watches the spinner. */
    private void handOver() {
        if ((driver == null || spinner != null) && followers.any()) {
            followers.wakeOne();
        }
    }
}
