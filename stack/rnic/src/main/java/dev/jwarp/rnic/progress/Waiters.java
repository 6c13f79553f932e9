package dev.jwarp.rnic.progress;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that sleep until a condition changes. A thread enters, checks the condition once more, sleeps, and leaves;
 * the thread that changes the condition wakes all waiters. Allocates only when more threads wait than ever before. Any
 * thread.
 */
public final class Waiters {
    private static final Thread[] NONE = {};

    private @Nullable Thread[] threads = NONE;
    private volatile int count;

    /** No thread waits yet. */
    public Waiters() {}

    /** The calling thread is about to sleep. */
    synchronized void enter() {
        if (count == threads.length) {
            threads = Arrays.copyOf(threads, Math.max(2, count * 2));
        }
        threads[count] = Thread.currentThread();
        count = count + 1;
    }

    /** The calling thread has slept, or need not sleep. */
    synchronized void leave() {
        Thread current = Thread.currentThread();
        int last = count - 1;
        for (int i = 0; i <= last; i++) {
            if (threads[i] == current) {
                threads[i] = threads[last];
                threads[last] = null;
                count = last;
                return;
            }
        }
    }

    /**
     * {@return whether a thread waits} The caller needs a full fence between its change of the condition and this call.
     */
    boolean any() {
        return count != 0;
    }

    /** Wakes one thread if any waits. */
    void wakeOne() {
        Thread last;
        synchronized (this) {
            last = count == 0 ? null : threads[count - 1];
        }
        LockSupport.unpark(last); // not under the lock, which the thread needs to leave; null has no effect
    }

    /** Wakes all threads; each checks its own condition. */
    void wakeAll() {
        Thread first;
        synchronized (this) {
            first = count == 0 ? null : threads[0];
            for (int i = 1; i < count; i++) {
                LockSupport.unpark(threads[i]);
            }
        }
        LockSupport.unpark(first); // most often the only one; see wakeOne
    }
}
