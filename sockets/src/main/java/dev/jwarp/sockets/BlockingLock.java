package dev.jwarp.sockets;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls that wait while their thread holds {@link java.nio.channels.SelectableChannel#blockingLock}. The streams of {@link java.nio.channels.Channels} hold that lock in each call (from Java 19 on not for
 * channels of the JDK itself), so a thread that waits for input would block every writer. Here the call runs in another thread, and the thread that holds the lock releases the lock with {@link Object#wait()}
 * until the call returns.
 */
final class BlockingLock {
    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "jwarp sockets, waiting for a stream of Channels");
        thread.setDaemon(true);
        return thread;
    });

    private BlockingLock() {}

    /** A call that may wait. */
    @FunctionalInterface
    interface Call<T, E extends Exception> {
        /** {@return what it gives} */
        T call() throws E;
    }

    /**
     * {@return the result of a call of a blocking channel} The caller holds the channel's lock.
     *
     * @param call does not take the lock, and returns when the channel is closed
     */
    static int giveUp(SelectableChannel channel, Call<Integer, IOException> call) throws IOException {
        boolean open = channel.isOpen();
        try {
            return giveUp(channel.blockingLock(), call, () -> {
                channel.close();
                return 0;
            });
        } catch (ClosedChannelException e) { // also of a call that had not begun when the channel was closed
            if (!open || channel.isOpen()) {
                throw e;
            }
            throw Thread.currentThread().isInterrupted()
                    ? new ClosedByInterruptException()
                    : new AsynchronousCloseException();
        }
    }

    /**
     * {@return the result of a call that another thread makes} The lock is released until the call returns.
     *
     * @param lock that the caller holds
     * @param onInterrupt ends the call
     */
    static <T, E extends Exception> T giveUp(Object lock, Call<T, E> call, Call<T, E> onInterrupt) throws E {
        FutureTask<T> task = new FutureTask<>(call::call);
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
                onInterrupt.call();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return BlockingLock.<T, E>outcome(task);
    }

    @SuppressWarnings("unchecked") // a call throws nothing else
    private static <T, E extends Throwable> T outcome(FutureTask<T> done) throws E {
        try {
            return done.get();
        } catch (ExecutionException e) {
            throw (E) e.getCause();
        } catch (InterruptedException e) {
            throw new AssertionError("nothing is waited for", e);
        }
    }

    /** Orders the reads, or the writes, of a channel. A thread that holds the channel's lock releases it while another thread has the turn, because that thread may need the lock to return. */
    @SuppressWarnings("serial") // it is written to no stream
    static final class Turns extends ReentrantLock {
        private final transient Object lock;

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
            while (!tryLock()) {
                try {
                    lock.wait(1); // rare: several threads read, or write; the end of a turn notifies none of them
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
