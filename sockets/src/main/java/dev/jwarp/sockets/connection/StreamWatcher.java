package dev.jwarp.sockets.connection;

import java.nio.channels.SelectionKey;

/** Notified of the readiness of a stream or a listener. */
public interface StreamWatcher {
    /**
     * The end of the input: no more bytes will arrive, and all received bytes were read. Always set together with the
     * bit of a read, whose result tells how the input ended.
     */
    int ENDED = 1 << 8;

    /**
     * Sets the readiness, which may have changed. Called under the lock of the stream, mostly by the thread that drives
     * the context: must not block, and must not call the stream.
     *
     * @param ready operations that do not block, as bits of {@link SelectionKey} and {@link #ENDED}
     */
    void set(int ready);
}
