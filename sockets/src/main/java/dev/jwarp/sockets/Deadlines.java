package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamConnection;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Connections that something is done with when their time is over. All are given the same time. Any thread. */
final class Deadlines {
    private final long patience;
    private final Consumer<StreamConnection> action;

    /** When each is due; the one that is first comes first. Guarded by itself. */
    private final Map<StreamConnection, Long> due = new LinkedHashMap<>();

    /** Of {@link #due}, for a look without the lock. */
    private volatile boolean none = true;

    /**
     * Has none.
     *
     * @param patience that each is given
     * @param action what is done with it then
     */
    Deadlines(Duration patience, Consumer<StreamConnection> action) {
        this.patience = patience.toNanos();
        this.action = action;
    }

    /** Its time begins. */
    void add(StreamConnection connection) {
        synchronized (due) {
            due.put(connection, System.nanoTime() + patience);
            none = false;
        }
    }

    /** Nothing is to be done with it any more. */
    void remove(StreamConnection connection) {
        synchronized (due) {
            due.remove(connection);
            none = due.isEmpty();
            due.notifyAll();
        }
    }

    /** Does it with all, due or not. */
    void runAll() {
        if (none) {
            return;
        }
        List<StreamConnection> all;
        synchronized (due) {
            all = List.copyOf(due.keySet());
            due.clear();
            none = true;
        }
        all.forEach(action);
    }

    /** Does what is due. Returns how long nothing else is, in nanoseconds. */
    long run() {
        while (true) {
            StreamConnection overdue;
            synchronized (due) {
                Iterator<Map.Entry<StreamConnection, Long>> first =
                        due.entrySet().iterator();
                if (!first.hasNext()) {
                    return Long.MAX_VALUE;
                }
                Map.Entry<StreamConnection, Long> next = first.next();
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

    /** Waits until there are none, but not longer than so long, and not once it is interrupted. */
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
