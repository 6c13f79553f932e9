package dev.jwarp.rnic.progress;

import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that polls or waits drives the transport, one at a time. The others (followers) sleep, each until what it waits
 * for is there, or until the driver leaves and it is the one that has to take over.
 */
public final class InlineProgression extends Progression {
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
    public Waiters newWaiters() {
        return new Waiters();
    }

    @Override
    public boolean poll() {
        if (!startDriving()) {
            return false;
        }
        try {
            return transport.poll();
        } finally {
            stopDriving();
        }
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
    public boolean await(Waitable what, long nanos) {
        if (what.ready()) {
            return true;
        }
        if (nanos > 0) {
            checkMayWait();
        }
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
                // Some transports wait better when they need not look at the time.
                if (!drive(what, forEver(left) ? Long.MAX_VALUE : left)) {
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

    /** Drives the transport once, unless {@code what} is ready. Returns false if another thread does. */
    private boolean drive(Waitable what, long nanos) {
        if (!startDriving()) {
            return false;
        }
        try {
            awaited = what;
            // Asked again as the driver: a signal from here on reaches the transport.
            if (!what.ready()) {
                transport.await(nanos);
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
        if (!drive(neverReady, forEver(nanos) ? Long.MAX_VALUE : nanos)) {
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
        try {
            if (driver != null && !what.ready()) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            followers.leave();
            same.leave();
        }
    }

    @Override
    public void signal(Waitable what) {
        VarHandle.fullFence();
        Waiters waiters = what.waiters();
        if (waiters.any()) {
            waiters.wakeAll();
        }
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
        handOver();
    }

    /** One of those that sleep takes over if no thread drives. */
    private void handOver() {
        if (driver == null && followers.any()) {
            followers.wakeOne();
        }
    }
}
