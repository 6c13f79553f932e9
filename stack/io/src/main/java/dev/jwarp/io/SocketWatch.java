package dev.jwarp.io;

/** One socket in a loop's watcher. Operations are those of {@link java.nio.channels.SelectionKey}. Owner only. */
public interface SocketWatch {
    /** {@return the item whose socket it is} */
    LoopItem item();

    /** Watches for these operations and no others from now on; 0 for none. Does nothing once the socket was closed. */
    void want(int operations);

    /** {@return the operations that were found ready; 0 if the socket was closed meanwhile} They are not given again. */
    int takeReady();

    /** Watches no more, so that the socket can be closed, or can block. */
    void cancel();
}
