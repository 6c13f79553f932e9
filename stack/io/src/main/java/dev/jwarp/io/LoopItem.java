package dev.jwarp.io;

import dev.jwarp.base.Bells;
import dev.jwarp.base.TimerHeap;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An item of a loop: a connection, a listener, a port. Any thread may wake it; everything else is for the owner only.
 */
public abstract class LoopItem extends TimerHeap.Entry {
    /** The loop of the item. */
    protected final Loop loop;

    @SuppressWarnings("this-escape") // the bell only stores it
    final Bells.Bell<LoopItem> bell = new Bells.Bell<>(this);

    /** The next item in the list of those that the owner itself has woken. */
    @Nullable
    LoopItem nextWoken;

    /** Whether this item is in that list. */
    boolean woken;

    /** The index in the loop's list of items; -1 outside of it. */
    int place = -1;

    /** Creates an item of that loop. */
    protected LoopItem(Loop loop) {
        this.loop = loop;
    }

    /** {@return whether the item belongs to {@code other}} */
    @SuppressWarnings("ReferenceEquality") // identity
    final boolean isOf(Loop other) {
        return loop == other;
    }

    /**
     * The socket is ready for these operations of {@link java.nio.channels.SelectionKey}; 0 if it was closed meanwhile.
     */
    protected void onReady(int operations, long nowNanos) {}

    /** A thread woke the item. */
    protected void onWoken(long nowNanos) {}

    /** The time in {@link Loop#timers} has come. */
    protected abstract void onTimer(long nowNanos);

    /** {@return whether there was input} Reads the socket without knowing whether it is ready. */
    protected boolean read() {
        return false;
    }

    /** The loop is closed: aborts the item. */
    protected void abort(long nowNanos) {}

    /** A call of this item threw an exception: ends this item only. Throws nothing itself. */
    protected abstract void fault(Throwable cause, long nowNanos);

    /**
     * {@return the socket, if a blocking read can wait for everything that may happen to this item now; otherwise null}
     */
    protected @Nullable Blockable blockable() {
        return null;
    }

    /** A socket that supports blocking reads. */
    public interface Blockable extends Closeable {
        /** Removes the socket from the watcher; reads block from now on. */
        void block() throws IOException;

        /** Returns the socket to the watcher. */
        void unblock();
    }
}
