package dev.jwarp.io;

/** A socket in the watcher of a loop. Operations are those of {@link java.nio.channels.SelectionKey}. Owner only. */
public interface SocketWatch {
    /** {@return the item of the socket} */
    LoopItem item();

    /** Sets the operations to watch for; 0 for none. No effect after the socket is closed. */
    void want(int operations);

    /** {@return the operations that are ready, once; 0 if the socket was closed meanwhile} */
    int takeReady();

    /** Ends the watch, so that the socket can be closed or switched to blocking mode. */
    void cancel();
}
