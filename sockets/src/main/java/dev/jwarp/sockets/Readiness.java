package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamWatcher;
import dev.jwarp.verbs.ProgressCondition;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The operations that a channel can do without waiting, as bits of {@link SelectionKey}. Notifies waiting threads and
 * keys. Bits are set under the lock of the connection or socket, and read by any thread.
 */
final class Readiness implements StreamWatcher {
    /** Operations that an input wait waits for: bytes or a connection. */
    static final int INPUT = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT;
    /** Operations that an output wait waits for. */
    static final int OUTPUT = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

    private static final RdmaSelectionKey[] NONE = {};

    /** A channel that {@link RdmaSelector} can select. */
    interface Owner {
        /** {@return the readiness of the channel} */
        Readiness readiness();

        /** {@return as {@link AbstractSelectableChannel#isOpen}} */
        boolean isOpen();

        /**
         * Does nothing while the channel is open.
         *
         * @throws ClosedChannelException if it is closed
         */
        default void checkOpen() throws ClosedChannelException {
            if (!isOpen()) {
                throw new ClosedChannelException();
            }
        }
    }

    private final SocketContext context;
    private final Object lock;
    private final ProgressCondition input;
    private final ProgressCondition output;
    private volatile int bits;

    /** Number of threads in a wait. Changed before they look at {@link #bits}, so a change of the bits meets either. */
    private volatile int waiting;

    private volatile boolean closed;
    private volatile RdmaSelectionKey[] keys = NONE;
    /** The JDK channel that the channel delegates to; null for RDMA. */
    private @Nullable AbstractSelectableChannel plain;

    /**
     * Made for a channel.
     *
     * @param lock its {@link AbstractSelectableChannel#blockingLock}, which a waiting thread releases
     */
    Readiness(SocketContext context, Object lock) {
        this.context = context;
        this.lock = lock;
        input = context.newCondition(() -> closed || (bits & INPUT) != 0);
        output = context.newCondition(() -> closed || (bits & OUTPUT) != 0);
    }

    /** {@return the context of the channel} */
    SocketContext context() {
        return context;
    }

    int bits() {
        return bits;
    }

    @Override
    public void set(int now) {
        int before = bits;
        if (now == before) {
            return; // nearly each message: without the write, which is a fence
        }
        bits = now;
        int fresh = now & ~before;
        if (fresh != 0) {
            tell(fresh);
        }
    }

    private void tell(int fresh) {
        if (waiting > 0) { // a selected channel has no waiting thread, and its conditions are not in the cache
            signal(fresh);
        }
        for (RdmaSelectionKey key : keys) {
            key.mayBeReady();
        }
    }

    private void signal(int fresh) {
        if ((fresh & INPUT) != 0) {
            input.signal();
        }
        if ((fresh & OUTPUT) != 0) {
            output.signal();
        }
    }

    /** Waits until a bit of {@link #INPUT} is set. Returns early if the time is over, the channel is closed, or the thread is interrupted. */
    void awaitInput(Duration timeout) {
        await(input, timeout);
    }

    /** Waits until a bit of {@link #OUTPUT} is set. Returns early as {@link #awaitInput} does. */
    void awaitOutput(Duration timeout) {
        await(output, timeout);
    }

    private void await(ProgressCondition condition, Duration timeout) {
        waits(1);
        try {
            if (!Thread.holdsLock(lock)) {
                context.await(condition, timeout);
                return;
            }
            FutureTask<?> wait = new FutureTask<>(() -> context.await(condition, timeout), null);
            BlockingLock.release(lock, wait, () -> {}); // an interrupt closes the channel, and that ends the wait
        } finally {
            waits(-1);
        }
    }

    private synchronized void waits(int change) {
        waiting += change;
    }

    /** Ends all waits, because the channel is closed. */
    void close() {
        closed = true;
        input.close();
        output.close();
    }

    /** Adds a key, which is notified of changes. */
    synchronized void add(RdmaSelectionKey key) {
        RdmaSelectionKey[] more = Arrays.copyOf(keys, keys.length + 1);
        more[keys.length] = key;
        keys = more;
        if (plain != null) {
            key.bePlain(plain);
        }
    }

    /** From now on the readiness is that of a JDK channel. */
    synchronized void bePlain(AbstractSelectableChannel beneath) {
        plain = beneath;
        for (RdmaSelectionKey key : keys) {
            key.bePlain(beneath);
        }
    }

    /** Deregisters the JDK channel from cancelled keys, so that it can be blocking again. */
    synchronized void forgetCancelled() {
        for (RdmaSelectionKey key : keys) {
            if (!key.isValid()) {
                key.forgetPlain();
            }
        }
    }

    synchronized void remove(RdmaSelectionKey key) {
        keys = Arrays.stream(keys).filter(k -> k != key).toArray(RdmaSelectionKey[]::new);
    }
}
