package dev.jwarp.sockets;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocking calls of threads that hold {@link java.nio.channels.SelectableChannel#blockingLock}. The streams of {@link
 * java.nio.channels.Channels} hold that lock during each call (from Java 19 on not for channels of the JDK itself), so
 * a thread that waits for input would block every writer. This class runs the call in another thread; the calling
 * thread releases the lock with {@link Object#wait()} until the call returns.
 */
final class BlockingLock {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingLock.class);
    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "jwarp sockets, waiting for a stream of Channels");
        thread.setDaemon(true);
        return thread;
    });

    private BlockingLock() {}

    /** A call that may block. */
    @FunctionalInterface
    interface Call extends Callable<Integer> {
        /** {@return the number of bytes that were moved} */
        @Override
        Integer call() throws IOException;
    }

    /**
     * {@return the result of a call of a JDK channel, during which the lock of the channel above is released}
     *
     * @param above the channel whose lock the thread may hold
     */
    static int call(SelectableChannel above, Call call) throws IOException {
        if (!Thread.holdsLock(above.blockingLock()) || !above.isBlocking()) {
            return call.call();
        }
        boolean open = above.isOpen();
        FutureTask<Integer> task = new FutureTask<>(call);
        release(above.blockingLock(), task, above);
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ClosedChannelException && open && !above.isOpen()) {
                throw Thread.currentThread().isInterrupted()
                        ? new ClosedByInterruptException()
                        : new AsynchronousCloseException();
            }
            throw failure(Objects.requireNonNull(e.getCause()));
        } catch (InterruptedException e) {
            throw new AssertionError("the task is done", e);
        }
    }

    private static IOException failure(Throwable cause) {
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return (IOException) cause;
    }

    /**
     * Runs a task in another thread. The lock is released until the task is done.
     *
     * @param lock that the caller holds
     * @param onInterrupt ends the task
     */
    static void release(Object lock, FutureTask<?> task, Closeable onInterrupt) {
        THREADS.execute(() -> {
            task.run();
            synchronized (lock) {
                lock.notifyAll();
            }
        });
        boolean interrupted = false;
        while (!task.isDone()) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                interrupted = true;
                end(onInterrupt);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(Closeable task) {
        try {
            task.close();
        } catch (IOException e) {
            LOG.debug("A channel whose thread was interrupted is not closed in order", e);
        }
    }

    /** Orders the reads, or the writes, of a channel. A thread that holds the channel's lock releases it while another thread has the turn, because that thread may need the lock to return. */
    @SuppressWarnings({"serial", "NonAtomicVolatileUpdate"}) // it is never serialized; changed under the lock only
    static final class Turns extends ReentrantLock {
        private final transient Object lock;
        /** Threads that hold the lock of the channel and wait for the turn; changed under that lock. */
        private volatile int waiting;

        Turns(Object lock) {
            this.lock = lock;
        }

        @Override
        public void lock() {
            if (tryLock()) {
                return;
            }
            if (!Thread.holdsLock(lock)) {
                super.lock();
                return;
            }
            boolean interrupted = false;
            waiting++;
            while (!tryLock()) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            waiting--;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void unlock() {
            super.unlock();
            if (waiting > 0) {
                synchronized (lock) {
                    lock.notifyAll();
                }
            }
        }
    }
}
