package dev.jwarp.sockets;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Things, such as connections, that something is done with when their time is over. All are given the same time. Any thread.
 *
 * @param <T> what they are
 */
final class Deadlines<T> {
    private final long patience;
    private final Consumer<T> action;

    /** When each is due; the one that is first comes first. Guarded by itself. */
    private final Map<T, Long> due = new LinkedHashMap<>();

    /** Of {@link #due}, for a look without the lock. */
    private volatile boolean none = true;

    /**
     * Has none.
     *
     * @param patience that each is given
     * @param action what is done with it then
     */
    Deadlines(Duration patience, Consumer<T> action) {
        this.patience = patience.toNanos();
        this.action = action;
    }

    /** Its time begins. */
    void add(T one) {
        synchronized (due) {
            due.put(one, System.nanoTime() + patience);
            none = false;
        }
    }

    /**
     * Nothing is to be done with it any more.
     *
     * @return whether something was
     */
    boolean remove(T one) {
        synchronized (due) {
            boolean there = due.remove(one) != null;
            none = due.isEmpty();
            due.notifyAll();
            return there;
        }
    }

    /** Does it with all, due or not. If that fails with one, those behind it keep their time. */
    void runAll() {
        if (none) {
            return;
        }
        List<T> all;
        synchronized (due) {
            all = List.copyOf(due.keySet());
        }
        for (T one : all) {
            if (remove(one)) {
                action.accept(one);
            }
        }
    }

    /** Does what is due. Returns how long nothing else is, in nanoseconds. */
    long run() {
        while (true) {
            T overdue;
            synchronized (due) {
                Iterator<Map.Entry<T, Long>> first = due.entrySet().iterator();
                if (!first.hasNext()) {
                    return Long.MAX_VALUE;
                }
                Map.Entry<T, Long> next = first.next();
                long left = next.getValue() - System.nanoTime();
                if (left > 0) {
                    return left;
                }
                overdue = next.getKey();
                first.remove();
                none = due.isEmpty();
            }
            action.accept(overdue);
        }
    }

    /** Waits until no deadline is left. The wait ends early after {@code most}, and when the thread is interrupted. */
    void awaitNone(Duration most) {
        long end = System.nanoTime() + most.toNanos();
        synchronized (due) {
            try {
                for (long left = most.toNanos(); left > 0 && !due.isEmpty(); left = end - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(due, left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
