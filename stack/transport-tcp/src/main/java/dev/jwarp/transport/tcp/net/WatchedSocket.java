package dev.jwarp.transport.tcp.net;

import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.StreamDriver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket of a {@link StreamIo}, and its operations in the watcher. Owner only. */
final class WatchedSocket implements LoopItem.Blockable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedSocket.class);

    /** The result of {@link #read} if the connection is lost. */
    static final int BROKEN = -2;

    /** The result of {@link #read} if the peer no longer answers. */
    static final int TIMED_OUT = -3;

    /**
     * Maximum number of connections of a loop for which descriptors are searched, because the search takes longer with
     * more.
     */
    private static final int FEW = 64;

    private final Loop loop;
    private final StreamIo stream;

    /** Closed by another thread while its reads block, otherwise by the owner. */
    private volatile @Nullable StreamSocket socket;

    private @Nullable SocketWatch watch;
    private boolean connecting;
    private boolean writeBlocked;
    private boolean inputClosed;
    private boolean outputClosed;
    private boolean blocking;

    WatchedSocket(Loop loop, StreamIo stream) {
        this.loop = loop;
        this.stream = stream;
    }

    StreamSocket socket() {
        return Objects.requireNonNull(socket);
    }

    boolean isConnecting() {
        return connecting;
    }

    boolean isWriteBlocked() {
        return writeBlocked;
    }

    boolean isInputClosed() {
        return inputClosed;
    }

    /** {@return whether the socket is connected already; otherwise the watcher reports the connect later} */
    boolean connect(StreamSocket opened, InetSocketAddress remote) throws IOException {
        socket = opened;
        boolean there = opened.connect(remote);
        inputClosed = false;
        outputClosed = false;
        watch = opened.watch(loop.watcher(), there ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, stream);
        if (!there) {
            connecting = true;
            loop.attention(1);
        }
        return there;
    }

    /** Takes ownership of a connected socket. */
    void hold(StreamSocket connected) {
        socket = connected;
    }

    /** Sets the options of the connection, and watches for input. */
    void begin() throws IOException {
        socket().prepare();
        watch = socket().watch(loop.watcher(), SelectionKey.OP_READ, stream);
    }

    /** {@return whether the socket is connected now} */
    boolean finishConnect() throws IOException {
        if (!socket().finishConnect()) {
            return false;
        }
        connecting = false;
        loop.attention(-1);
        watch();
        return true;
    }

    @Nullable
    InetSocketAddress localAddress() throws IOException {
        return socket().localAddress();
    }

    /**
     * {@return the number of bytes; 0 if there are none; -1 at the end of input; {@link #BROKEN}; {@link #TIMED_OUT}}
     * Waits if the socket blocks.
     */
    int read(ByteBuffer into) {
        StreamSocket in = socket();
        try {
            return in.read(into);
        } catch (IOException e) {
            LOG.debug("A connection broke", e);
            return in.timedOut(e) ? TIMED_OUT : BROKEN;
        }
    }

    /** {@return as {@link StreamSocket#timedOutWriting}} */
    boolean timedOutWriting(IOException cause) {
        StreamSocket out = socket;
        return out != null && out.timedOutWriting(cause);
    }

    /** {@return the size of the system's receive buffer in bytes} */
    int receiveBuffer() {
        try {
            return socket().receiveBuffer();
        } catch (IOException e) {
            LOG.debug("A connection broke", e);
            return 0;
        }
    }

    /** The peer has closed its direction: stops watching for input, which would be reported again and again. */
    void inputClosed() {
        inputClosed = true;
        watch();
    }

    /**
     * Writes as much of the first {@code count} buffers as the system accepts.
     *
     * @return bytes written; if some are left, the watcher reports when there is room
     */
    long write(ByteBuffer[] buffers, int count) throws IOException {
        StreamSocket out = socket();
        if (blocking) {
            loop.blockingWait().beforeWrite(buffers, count);
        }
        long written = out.write(buffers, count);
        // Buffers are written in order, so the rest belongs to the last one.
        if (buffers[count - 1].hasRemaining()) {
            writeBlocked = true;
            loop.attention(1);
            watch();
        }
        return written;
    }

    /** {@return as {@link StreamDriver#unsentOctets}} */
    int unsent(int segment) {
        StreamSocket asked = socket;
        return asked == null
                ? StreamDriver.UNKNOWN
                : asked.unsent(segment, loop.items().size() <= FEW);
    }

    /** The watcher has reported room. */
    void unblockOutput() {
        if (writeBlocked) {
            writeBlocked = false;
            loop.attention(-1);
            watch();
        }
    }

    void keepAlive(KeepAliveTimes wanted) {
        StreamSocket current = socket;
        if (current == null) {
            return;
        }
        try {
            current.keepAlive(wanted);
        } catch (IOException e) {
            LOG.debug("A connection broke", e); // the next read says so too
        }
    }

    boolean isBlocking() {
        return blocking;
    }

    void shutDownOutput(boolean connected) throws IOException {
        if (connected && !outputClosed) {
            outputClosed = true;
            socket().shutDownOutput();
        }
    }

    void close(boolean reset) {
        StreamSocket closing = socket;
        if (closing == null) {
            return;
        }
        if (connecting || writeBlocked) {
            loop.attention(-1);
            connecting = false;
            writeBlocked = false;
        }
        cancelWatch();
        try (closing) {
            if (reset) {
                closing.resetOnClose();
            }
        } catch (IOException e) {
            LOG.debug("Closing a connection failed", e);
        } finally {
            socket = null;
            blocking = false;
            loop.channelClosed();
        }
    }

    private void cancelWatch() {
        SocketWatch current = watch;
        if (current != null) {
            watch = null;
            current.cancel();
        }
    }

    private void watch() {
        SocketWatch current = watch;
        if (current != null) {
            int read = inputClosed ? 0 : SelectionKey.OP_READ;
            int write = writeBlocked ? SelectionKey.OP_WRITE : 0;
            current.want(read | write);
        }
    }

    // ---- Blockable

    @Override
    public void block() throws IOException {
        if (watch != null) {
            cancelWatch();
            loop.watcher().letGo();
        }
        socket().block(true);
        blocking = true;
    }

    /** If the socket was closed meanwhile, only this method notifies its stream. */
    @Override
    public void unblock() {
        blocking = false;
        StreamSocket current = socket;
        if (current == null) {
            return;
        }
        try {
            current.block(false);
            watch = current.watch(loop.watcher(), SelectionKey.OP_READ, stream);
            watch();
        } catch (IOException e) {
            loop.note(() -> stream.broken(e)); // later, because the stream may be in a call of its engine
        }
    }

    @Override
    public void close() throws IOException {
        StreamSocket current = socket;
        if (current != null) {
            current.close();
        }
    }
}
