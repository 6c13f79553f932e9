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
 * The thread that polls or waits drives the transport, one at a time. The others (followers) sleep, each until what it
 * waits for is there, or until the driver leaves and it is the one that has to take over.
 *
 * <p>A thread that spins in {@link #poll} takes over from one that waits: else it could only look at what the other
 * hands over, and each of its posts would have to wake the other. One of those that wait, the deputy, looks now and then
 * whether that thread still spins.
 *
 * <p>The driver is chosen here, and not by the transport's own rule that one thread polls at a time: what the driver
 * waits for is known before it is in the transport, so that a signal wakes the transport; and a thread that finds a
 * driver sleeps, where a transport would refuse its poll.
 */
public final class InlineProgression extends Progression {
    /** A thread that polls so often in vain, in so short a time, spins. */
    private static final int POLLS_IN_VAIN = 100;

    private static final long SPINNING_NANOS = 200_000;

    /** How often the deputy looks, and how many polls it must find. */
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

    /** What a thread waits for that wants to drive. */
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

    /** All that sleep, whatever they wait for: one of them takes over when the driver leaves. */
    private final Waiters followers = new Waiters();

    private volatile @Nullable Thread driver;

    /** What the driver waits for; null if it only polls, or there is none. */
    private volatile @Nullable Waitable awaited;

    /** The thread that spins; null if those that wait drive. */
    private volatile @Nullable Thread spinner;

    /** Whether a follower looks after the spinner: the deputy. */
    private final AtomicBoolean deputy = new AtomicBoolean();

    /** Of the spinner, which alone writes it. */
    private volatile long polls;

    /** Polls that the last look found, and when that was. Under the lock of this. */
    private long pollsSeen;

    private long pollsSeenAt;

    /** Since the driver began to wait, or since {@link #vainSince}. Some may be lost where several threads count. */
    private int pollsInVain;

    private long vainSince;

    /** Drives {@code transport}, which must be inline. */
    public InlineProgression(Progressing transport, LongSupplier clock) {
        super(transport, clock);
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

    /** {@return whether another thread spins} Else the caller may drive. */
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
            while (true) {
                throwIfInterrupted();
                long left = deadline - now();
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
                handOver(); // it may have been woken to take over
            }
        }
    }

    /** Drives the transport once, unless {@code what} is ready. Returns false if another thread does, or spins. */
    private boolean drive(Waitable what, long nanos) {
        if (spinsElsewhere() || !startDriving()) {
            return false;
        }
        try {
            pollsInVain = 0;
            awaited = what;
            // Asked again as the driver: a signal from here on reaches the transport.
            if (!what.ready()) {
                // Some transports wait better when they need not look at the time.
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
        if (spinner != Thread.currentThread()) { // it is back at once
            handOver();
        }
    }

    /** One of those that sleep takes over if no thread drives, or looks after the thread that spins. */
    private void handOver() {
        if ((driver == null || spinner != null) && followers.any()) {
            followers.wakeOne();
        }
    }
}
