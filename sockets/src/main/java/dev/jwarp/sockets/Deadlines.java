package dev.jwarp.sockets;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Objects, such as connections, with a deadline at which an action runs. All have the same time limit. Any thread.
 *
 * @param <T> the type of the objects
 */
final class Deadlines<T> {
    private final long patience;
    private final Consumer<T> action;

    /** The deadline of each object, in ascending order. Guarded by itself. */
    private final Map<T, Long> due = new LinkedHashMap<>();

    /** Whether {@link #due} is empty, for a check without the lock. */
    private volatile boolean none = true;

    /**
     * Made empty.
     *
     * @param patience the time limit of each object
     * @param action runs at the deadline
     */
    Deadlines(Duration patience, Consumer<T> action) {
        this.patience = patience.toNanos();
        this.action = action;
    }

    /** Adds an object, whose time begins now. */
    void add(T one) {
        synchronized (due) {
            due.put(one, System.nanoTime() + patience);
            none = false;
        }
    }

    /**
     * Removes an object, without its action.
     *
     * @return whether the object was there
     */
    boolean remove(T one) {
        synchronized (due) {
            boolean there = due.remove(one) != null;
            none = due.isEmpty();
            due.notifyAll();
            return there;
        }
    }

    /**
     * Runs the action for all objects, due or not. If the action throws, the following objects keep their deadlines.
     */
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

    /**
     * Runs the action for all due objects.
     *
     * @return nanoseconds until the next deadline
     */
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
