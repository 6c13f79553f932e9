package dev.jwarp.rnic.progress;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that sleep until something changes. A thread enters, looks once more whether it has to sleep, sleeps, leaves;
 * the thread that changes something wakes all of them. Allocates only when more threads wait than ever before. Any thread.
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

    /** The calling thread slept, or found that it need not. */
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

    /** {@return whether a thread waits} Needs a full fence between the change and this question. */
    boolean any() {
        return count != 0;
    }

    /** Wakes one, if any waits. */
    synchronized void wakeOne() {
        if (count > 0) {
            LockSupport.unpark(threads[count - 1]);
        }
    }

    /** Wakes all; each looks for itself whether it was meant. */
    synchronized void wakeAll() {
        for (int i = 0; i < count; i++) {
            LockSupport.unpark(threads[i]);
        }
    }
}
