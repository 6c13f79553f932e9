package dev.jwarp.io;

import dev.jwarp.io.LoopItem.Blockable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Waits in a blocking read of the only connection, so that one system call waits and reads. Only input ends such a
 * read. So it is used only with one connection and no listener, nothing unsent, no timer, a caller without timeout, and
 * no other thread that ever used the loop. In all other cases the selector waits.
 */
public final class BlockingWait {
    /**
     * Number of consecutive waits, without a poll in between, before the channel is switched to blocking mode, because
     * switching costs system calls.
     */
    private static final int WAITS_BEFORE = 4;

    /**
     * Maximum number of bytes written to a blocking channel between two reads. They fit into the socket's buffers, so
     * the write does not block, and two peers that write to each other cannot block each other.
     */
    private static final int BLOCKING_WRITE_LIMIT = 8 << 10;

    private final Loop loop;
    private volatile @Nullable Thread home;
    private volatile boolean foreign;

    /**
     * The channel that another thread may close. Guarded by this object, so that no thread closes it after it has
     * returned to the selector.
     */
    private @Nullable Blockable closeable;

    private @Nullable Blockable blocking;
    private int waits;
    private int written;

    BlockingWait(Loop loop) {
        this.loop = loop;
    }

    /** A thread uses the loop. Once a second thread does, blocking reads are disabled, because it cannot end them. */
    void used() {
        Thread caller = Thread.currentThread();
        Thread first = home;
        if (first == null) {
            home = caller;
        } else if (first != caller && !foreign) {
            foreign = true;
        }
    }

    /** Ends a blocking read, and the connection with it. Any thread. */
    synchronized void breakOff() {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (IOException closed) {
                // The channel is closed nevertheless, and the thread that wants to become the owner continues.
            }
        }
    }

    private synchronized void mayBreakOff(@Nullable Blockable blocked) {
        closeable = blocked;
    }

    /** {@return false if the caller must wait in another way} */
    boolean tryRead() {
        used();
        if (loop.workBeforeWait()) {
            return true;
        }
        LoopItem only = foreign ? null : loop.onlyItem();
        Blockable socket = only == null ? null : only.blockable();
        if (only == null || socket == null) {
            waits = 0;
            return false;
        }
        if (++waits < WAITS_BEFORE) {
            return false;
        }
        if (blocking == null) {
            enter(socket);
        }
        written = 0;
        loop.read(only);
        return true;
    }

    private void enter(Blockable socket) {
        try {
            socket.block();
            blocking = socket;
            mayBreakOff(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the channel to the selector if it is in blocking mode. */
    public void leave() {
        Blockable left = blocking;
        if (left == null) {
            return;
        }
        blocking = null;
        mayBreakOff(null);
        waits = 0;
        left.unblock();
    }

    /** Leaves blocking mode if this write might block. */
    public void beforeWrite(ByteBuffer[] output, int count) {
        for (int i = 0; i < count && written <= BLOCKING_WRITE_LIMIT; i++) {
            written += output[i].remaining();
        }
        if (written > BLOCKING_WRITE_LIMIT) {
            leave();
        }
    }
}
