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
    synchronized void wakeOne() {
        if (count > 0) {
            LockSupport.unpark(threads[count - 1]);
        }
    }

    /** Wakes all threads; each checks its own condition. */
    synchronized void wakeAll() {
        for (int i = 0; i < count; i++) {
            LockSupport.unpark(threads[i]);
        }
    }
}
