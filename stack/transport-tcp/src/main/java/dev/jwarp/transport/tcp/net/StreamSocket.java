package dev.jwarp.transport.tcp.net;

import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.io.SocketWatcher;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The system calls of one non-blocking TCP socket. One thread at a time; {@link #close} any thread. */
public interface StreamSocket extends Closeable {
    /** A listening socket. */
    interface Listening extends Closeable {
        /** {@return the bound address, with the real port} */
        InetSocketAddress localAddress();

        /** {@return an accepted connection; null if none waits} */
        @Nullable
        StreamSocket accept() throws IOException;

        /** {@return whether the socket is open} Any thread. */
        boolean isOpen();

        /** {@return the watch over it} */
        SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;
    }

    /** Opens sockets with the options of the settings, and explains why a socket cannot be opened. Any thread. */
    interface Opener {
        /** {@return a socket for a connect, bound to {@code local} if not null} */
        StreamSocket open(@Nullable InetSocketAddress local) throws IOException;

        /** {@return a listening socket} */
        Listening listen(InetSocketAddress local, int backlog) throws IOException;

        /** {@return the reason of a failed open, or of a failed bind to {@code local} if not null} */
        LlpFailure whyNotBound(@Nullable InetSocketAddress local, Throwable cause);

        /** {@return the reason of a failed connect, from {@code local} if not null} */
        LlpFailure whyNotConnected(@Nullable InetSocketAddress local, Throwable cause);
    }

    /** Sets the options of a connected or accepted socket. */
    void prepare() throws IOException;

    /** {@return the local address; null if the connection is lost} */
    @Nullable
    InetSocketAddress localAddress() throws IOException;

    /** {@return the peer's address; null if not connected} */
    @Nullable
    InetSocketAddress remoteAddress() throws IOException;

    /** {@return whether the socket is connected already; otherwise call {@link #finishConnect} later} */
    boolean connect(InetSocketAddress remote) throws IOException;

    /** {@return whether the socket is connected now} */
    boolean finishConnect() throws IOException;

    /**
     * {@return the number of bytes; 0 if there are none; -1 at the end of input} The buffer is direct. Waits if the
     * socket blocks.
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * {@return the number of bytes that the system accepted from the first {@code count} buffers, in order} Advances
     * their positions.
     */
    long write(ByteBuffer[] buffers, int count) throws IOException;

    /** {@return whether a write threw the exception because the peer no longer answers; false if unknown} */
    default boolean timedOutWriting(IOException cause) {
        return false;
    }

    /** {@return whether a read threw the exception because the peer no longer answers, or there is no route to it} */
    boolean timedOut(IOException cause);

    /** Closes our direction (FIN). */
    void shutDownOutput() throws IOException;

    /** Makes close send RST. */
    void resetOnClose() throws IOException;

    /** {@return the size of the system's receive buffer in bytes} */
    int receiveBuffer() throws IOException;

    /** Sets the keep-alive of the connection; its times only if the operating system supports them per connection. */
    void keepAlive(KeepAliveTimes wanted) throws IOException;

    /**
     * {@return as {@link StreamDriver#unsentOctets}}
     *
     * @param seek whether to search for the descriptor to query
     */
    int unsent(int segment, boolean seek);

    /** {@return the watch over it} */
    SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;

    /** Makes reads and writes blocking or non-blocking; the socket must not be watched. */
    void block(boolean blocking) throws IOException;

    /** Resets the connection. */
    default void refuse() throws IOException {
        try (this) {
            resetOnClose(); // leaves no half-open connection, and notifies the peer at once
        }
    }
}
