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
 * The lock of {@link java.nio.channels.SelectableChannel#blockingLock} while its channel waits. The streams of {@link java.nio.channels.Channels} hold it in each call, but for channels of
 * the JDK's own from Java 19 on: a thread that waits for input would keep out all that write. So a thread that holds it gives it up for the time of a wait, with {@link Object#wait()}, and
 * another thread waits in its stead.
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
     * {@return what a call of a blocking channel gives} The caller holds its lock.
     *
     * @param call knows nothing of the lock, and ends when the channel is closed
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
     * {@return what a call gives that another thread makes} The lock is given up until then.
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

    /** Has the calls of a channel that go one way take turns, also those of threads that hold its lock: who has the turn may have given that up, and want it back. */
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
                    lock.wait(1); // rare: several threads that read, or write; they are not told when the turn ends
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
