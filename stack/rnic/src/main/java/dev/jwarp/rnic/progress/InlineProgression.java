package dev.jwarp.rnic.progress;

import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.verbs.Progress;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that polls or waits drives the transport, one at a time. The others (followers) sleep until what they wait
 * for is there, or until the driver leaves and one of them has to take over.
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
        @Override
        public boolean ready() {
            return false;
        }

        @Override
        public Waiters waiters() {
            return followers;
        }
    };

    private final Waiters followers = new Waiters();

    private volatile @Nullable Thread driver;

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
        return followers;
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
    public boolean await(Waitable what, long nanos) {
        if (what.ready()) {
            return true;
        }
        if (nanos > 0) {
            checkMayWait();
        }
        long deadline = deadline(nanos);
        while (true) {
            throwIfInterrupted();
            long left = deadline - now();
            if (left <= 0) {
                poll();
                return what.ready();
            }
            if (startDriving()) {
                try {
                    // Asked again as the driver: a signal from here on reaches the transport.
                    if (!what.ready()) {
                        // Some transports wait better when they need not look at the time.
                        transport.await(forEver(left) ? Long.MAX_VALUE : left);
                    }
                } finally {
                    stopDriving();
                }
            } else {
                follow(what, left);
            }
            if (what.ready()) {
                return true;
            }
        }
    }

    @Override
    public void drive(long nanos) {
        checkMayWait();
        throwIfInterrupted();
        if (startDriving()) {
            try {
                transport.await(forEver(nanos) ? Long.MAX_VALUE : nanos);
            } finally {
                stopDriving();
            }
        } else {
            follow(neverReady, nanos);
        }
    }

    private void follow(Waitable what, long nanos) {
        followers.enter();
        try {
            if (driver != null && !what.ready()) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            followers.leave();
        }
    }

    @Override
    public void signal(Waitable what) {
        if (driver == Thread.currentThread()) {
            return; // looks for followers when it stops driving, which is before it drives again
        }
        VarHandle.fullFence();
        if (followers.any()) {
            followers.wakeAll();
        }
        if (driver != null) {
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
        if (followers.any()) {
            followers.wakeAll();
        }
    }
}
