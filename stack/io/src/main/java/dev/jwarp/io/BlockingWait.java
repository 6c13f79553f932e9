package dev.jwarp.io;

import dev.jwarp.io.LoopItem.Blockable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Waiting in a blocking read of the only connection: one system call waits and reads. Nothing but input ends such a
 * read, so it is used only where nothing else can matter: one connection and no listener, nothing unsent, no timer, a
 * caller who would wait for ever, and no other thread that ever used the loop. In every other case the selector
 * waits.
 */
public final class BlockingWait {
    /** Waits in a row, without a poll in between, before the channel is switched over: switching costs system calls. */
    private static final int WAITS_BEFORE = 4;

    /**
     * Bytes that may be written to a blocking channel between two reads: so few fit into the socket's buffers, so the
     * write does not block, and two ends that write to each other cannot wait for each other.
     */
    private static final int BLOCKING_WRITE_LIMIT = 8 << 10;

    private final Loop loop;
    private volatile @Nullable Thread home;
    private volatile boolean foreign;

    /** What another thread may close. Under the lock of this, so that none closes it once it is the selector's again. */
    private @Nullable Blockable closeable;

    private @Nullable Blockable blocking;
    private int waits;
    private int written;

    BlockingWait(Loop loop) {
        this.loop = loop;
    }

    /** A thread used the loop. Another thread could not end a blocking read, so then there will be none. */
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
                // It is closed all the same, and who wants to be the owner goes on.
            }
        }
    }

    private synchronized void mayBreakOff(@Nullable Blockable blocked) {
        closeable = blocked;
    }

    /** {@return false if the caller has to wait in another way} */
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

    /** Back to the selector, if it was left. */
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

    /** Leaves the blocking state if this write might block. */
    public void beforeWrite(ByteBuffer[] output, int count) {
        for (int i = 0; i < count && written <= BLOCKING_WRITE_LIMIT; i++) {
            written += output[i].remaining();
        }
        if (written > BLOCKING_WRITE_LIMIT) {
            leave();
        }
    }
}
