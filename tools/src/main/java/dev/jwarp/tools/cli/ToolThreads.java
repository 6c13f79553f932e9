package dev.jwarp.tools.cli;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the process alive. An object knows those of its own that have not ended. Any thread. */
public final class ToolThreads {
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    /** None has started. */
    public ToolThreads() {}

    /** {@return a factory of threads with that name} */
    public static ThreadFactory named(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** {@return a thread of that name, started} */
    public static Thread start(String name, Runnable work) {
        Thread thread = named(name).newThread(work);
        thread.start();
        return thread;
    }

    /**
     * {@return the result of work in another thread} Waits for it.
     *
     * @throws RuntimeException that ended the work
     * @throws EndedEarly if this thread is interrupted
     */
    public static <T> T result(Future<T> work) {
        try {
            return work.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedEarly();
        }
    }

    /** {@return a thread of that name, started, as one of these} */
    public Thread add(String name, Runnable work) {
        Thread thread = named(name).newThread(() -> {
            try {
                work.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
        running.add(thread);
        try {
            thread.start();
        } catch (Throwable e) {
            running.remove(thread);
            throw e;
        }
        return thread;
    }

    /** Interrupts these. */
    public void interrupt() {
        running.forEach(Thread::interrupt);
    }

    /** Waits for these, but not longer than so many milliseconds for each. */
    public void join(long millis) {
        try {
            for (Thread thread : running) {
                thread.join(millis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
