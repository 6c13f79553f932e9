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

/** The system calls of one TCP socket, which does not block. One thread at a time; {@link #close} any thread. */
public interface StreamSocket extends Closeable {
    /** A socket that listens. */
    interface Listening extends Closeable {
        /** {@return the bound address, with the real port} */
        InetSocketAddress localAddress();

        /** {@return a connection that waited; null if there is none} */
        @Nullable
        StreamSocket accept() throws IOException;

        /** {@return whether it was not closed} Any thread. */
        boolean isOpen();

        /** {@return the watch over it} */
        SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;
    }

    /** Opens sockets with the options of the settings, and explains why a socket cannot be opened. Any thread. */
    interface Opener {
        /** {@return a socket to connect with, bound to {@code local} if that is not null} */
        StreamSocket open(@Nullable InetSocketAddress local) throws IOException;

        /** {@return a socket that listens} */
        Listening listen(InetSocketAddress local, int backlog) throws IOException;

        /** {@return why there is no socket, bound to {@code local} if that is not null} */
        LlpFailure whyNotBound(@Nullable InetSocketAddress local, Throwable cause);

        /** {@return why a connect from {@code local}, if that is not null, failed} */
        LlpFailure whyNotConnected(@Nullable InetSocketAddress local, Throwable cause);
    }

    /** Sets the options of a connection, made or taken. */
    void prepare() throws IOException;

    /** {@return our address; null if the connection is lost} */
    @Nullable
    InetSocketAddress localAddress() throws IOException;

    /** {@return the peer's address; null if there is none} */
    @Nullable
    InetSocketAddress remoteAddress() throws IOException;

    /** {@return whether the connection is there already; else it is ready to {@link #finishConnect} later} */
    boolean connect(InetSocketAddress remote) throws IOException;

    /** {@return whether the connection is there now} */
    boolean finishConnect() throws IOException;

    /** {@return bytes; 0 if there is nothing; -1 if the peer has ended} The buffer is direct. Waits if the socket blocks. */
    int read(ByteBuffer into) throws IOException;

    /** {@return bytes that the system took of the first {@code count} buffers, in order} Advances their positions. */
    long write(ByteBuffer[] buffers, int count) throws IOException;

    /** {@return whether a write threw that because the peer does not answer any more; false also where that is not known} */
    default boolean timedOutWriting(IOException cause) {
        return false;
    }

    /** {@return whether a read threw that because the peer does not answer any more, or no route leads to it} */
    boolean timedOut(IOException cause);

    /** Closes our direction (FIN). */
    void shutDownOutput() throws IOException;

    /** Closing sends RST from now on. */
    void resetOnClose() throws IOException;

    /** {@return bytes that the system holds at most before they are read} */
    int receiveBuffer() throws IOException;

    /** Sets the keep-alive of the connection; its times only where the operating system has them for one connection. */
    void keepAlive(KeepAliveTimes wanted) throws IOException;

    /**
     * {@return as {@link StreamDriver#unsentOctets}}
     *
     * @param seek whether it is worth looking for what can be asked
     */
    int unsent(int segment, boolean seek);

    /** {@return the watch over it} */
    SocketWatch watch(SocketWatcher watcher, int operations, LoopItem item) throws IOException;

    /** Makes reads and writes blocking or non-blocking; the socket is not watched. */
    void block(boolean blocking) throws IOException;

    /** Resets it. */
    default void refuse() throws IOException {
        try (this) {
            resetOnClose(); // no half-open rest, and the peer knows at once
        }
    }
}
