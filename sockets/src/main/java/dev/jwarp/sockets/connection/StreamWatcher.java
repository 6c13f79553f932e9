package dev.jwarp.sockets.connection;

import java.nio.channels.SelectionKey;

/** Is told what a stream, or a listener, can do without waiting. */
public interface StreamWatcher {
    /** No more will come, and all that came was read. With it goes the bit of a read, which says how it ended. */
    int ENDED = 1 << 8;

    /**
     * It may be something else now. Called under the lock of the stream, mostly by the thread that drives the context: must not wait, and must not call the
     * stream.
     *
     * @param ready what can be done without waiting, in the bits of {@link SelectionKey}, and {@link #ENDED}
     */
    void set(int ready);
}
