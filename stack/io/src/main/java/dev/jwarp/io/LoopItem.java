package dev.jwarp.io;

import dev.jwarp.base.Bells;
import dev.jwarp.base.TimerHeap;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a loop moves: a connection, a listener, a port. Any thread may wake it; all else is the owner's. */
public abstract class LoopItem extends TimerHeap.Entry {
    /** The loop that it is of. */
    protected final Loop loop;

    @SuppressWarnings("this-escape") // the bell only keeps it
    final Bells.Bell<LoopItem> bell = new Bells.Bell<>(this);

    /** Its place in the loop's list of items, -1 outside. */
    int place = -1;

    /** An item of that loop. */
    protected LoopItem(Loop loop) {
        this.loop = loop;
    }

    /** {@return whether it is one of {@code other}} */
    @SuppressWarnings("ReferenceEquality") // that very one
    final boolean isOf(Loop other) {
        return loop == other;
    }

    /** Its socket is ready for these operations of {@link java.nio.channels.SelectionKey}; 0 if the socket was closed meanwhile. */
    protected void onReady(int operations, long nowNanos) {}

    /** A thread woke it. */
    protected void onWoken(long nowNanos) {}

    /** Its time in {@link Loop#timers} has come. */
    protected abstract void onTimer(long nowNanos);

    /** {@return whether anything came} Reads its socket, though nothing says that it is ready. */
    protected boolean read() {
        return false;
    }

    /** The loop ends, and the item with it. */
    protected void abort(long nowNanos) {}

    /** A call of it threw: what it stands for ends, and nothing else. Throws nothing itself. */
    protected abstract void fault(Throwable cause, long nowNanos);

    /** {@return its socket, if a blocking read of it can wait for all that may happen to this item now} */
    protected @Nullable Blockable blockable() {
        return null;
    }

    /** A socket that can block. */
    public interface Blockable extends Closeable {
        /** Takes the socket out of the watcher; from now on reads block. */
        void block() throws IOException;

        /** Gives the socket back to the watcher. */
        void unblock();
    }
}
