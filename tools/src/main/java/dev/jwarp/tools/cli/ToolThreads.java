package dev.jwarp.tools.cli;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** A group of daemon threads. The group holds its threads until they end. Any thread. */
public final class ToolThreads {
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    /** Made without threads. */
    public ToolThreads() {}

    /** {@return a factory of daemon threads with that name} */
    public static ThreadFactory named(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** {@return a started daemon thread with that name} */
    public static Thread start(String name, Runnable work) {
        Thread thread = named(name).newThread(work);
        thread.start();
        return thread;
    }

    /**
     * {@return the result of work in another thread} Waits for the end of the work.
     *
     * @throws RuntimeException the exception that ended the work
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

    /** {@return a started thread with that name, which is added to this group} */
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

    /** Interrupts all threads of this group. */
    public void interrupt() {
        running.forEach(Thread::interrupt);
    }

    /** Waits for the threads of this group, for each at most so many milliseconds. */
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
