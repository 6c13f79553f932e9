package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.transport.tcp.net.LostConnection;
import dev.jwarp.transport.tcp.net.netty.TcpInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channel of a {@link NioStream}, its key, and what the selector is to watch it for. Owner only. */
final class TcpSocket {
    private static final Logger LOG = LoggerFactory.getLogger(TcpSocket.class);

    /** What {@link #read} answers if the connection is lost. */
    static final int BROKEN = -2;

    /** What {@link #read} answers if the peer does not answer any more. */
    static final int TIMED_OUT = -3;

    /** Connections of a loop whose descriptors are looked for: that takes the longer the more there are. */
    private static final int FEW = 64;

    private final TcpLoop loop;
    private final NioStream stream;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private boolean connecting;
    private boolean writeBlocked;
    private boolean inputClosed;
    private boolean outputClosed;
    private boolean blocking;

    /** Looked for when it is asked for the first time. */
    private @Nullable TcpInfo info;

    private boolean infoSought;

    TcpSocket(TcpLoop loop, NioStream stream) {
        this.loop = loop;
        this.stream = stream;
    }

    SocketChannel channel() {
        return Objects.requireNonNull(channel);
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

    /** {@return whether the connection is there already; else the selector will say when it is} */
    boolean connect(SocketChannel opened, InetSocketAddress remote) throws IOException {
        channel = opened;
        boolean there = opened.connect(remote);
        inputClosed = false;
        outputClosed = false;
        key = loop.selector().register(opened, there ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, stream);
        if (!there) {
            connecting = true;
            loop.attention(1);
        }
        return there;
    }

    /** Takes over a channel that is connected: it is closed with this from now on. */
    void hold(SocketChannel connected) {
        channel = connected;
    }

    /** The selector is to tell when something comes. */
    void watchInput() throws IOException {
        key = loop.selector().register(channel(), SelectionKey.OP_READ, stream);
    }

    /** {@return whether the connection is there now} */
    boolean finishConnect() throws IOException {
        if (!channel().finishConnect()) {
            return false;
        }
        connecting = false;
        loop.attention(-1);
        watch();
        return true;
    }

    @Nullable
    InetSocketAddress localAddress() throws IOException {
        return channel().getLocalAddress() instanceof InetSocketAddress address ? address : null;
    }

    /** {@return what the selector found, 0 if there is no valid key} */
    int readyOperations() {
        SelectionKey current = key;
        return current == null || !current.isValid() ? 0 : current.readyOps();
    }

    /** {@return octets; 0 if there is nothing; -1 if the peer has ended; {@link #BROKEN}; {@link #TIMED_OUT}} Waits if the channel blocks. */
    int read(ByteBuffer into) {
        try {
            return channel().read(into);
        } catch (IOException e) {
            LOG.debug("A connection broke", e);
            return LostConnection.timedOut(e) ? TIMED_OUT : BROKEN;
        }
    }

    /** {@return octets that the system holds at most before they are read} */
    int receiveBuffer() {
        try {
            return channel().getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            LOG.debug("A connection broke", e);
            return 0;
        }
    }

    /** The peer's end has come: reading again would find it again and again. */
    void inputClosed() {
        inputClosed = true;
        watch();
    }

    /**
     * Writes what the socket takes of the first {@code count} buffers.
     *
     * @return octets written; if some are left, the selector tells when there is room
     */
    long write(ByteBuffer[] buffers, int count) throws IOException {
        SocketChannel out = channel();
        if (blocking) {
            loop.blockingWait().beforeWrite(buffers, count);
        }
        long written = count == 1 ? out.write(buffers[0]) : out.write(buffers, 0, count);
        // Buffers are written in order: what is left is left of the last one.
        if (buffers[count - 1].hasRemaining()) {
            writeBlocked = true;
            loop.attention(1);
            watch();
        }
        return written;
    }

    /** {@return octets that TCP has taken and not sent; -1 if that is not known, or its segments are not so long} */
    int unsent(int segment, InetSocketAddress remote, NioSockets sockets) {
        if (!infoSought) {
            infoSought = true;
            info = findInfo(remote, sockets);
        }
        return info == null ? -1 : info.unsent(segment);
    }

    private @Nullable TcpInfo findInfo(InetSocketAddress remote, NioSockets sockets) {
        try {
            InetSocketAddress local = localAddress();
            return local == null || loop.streams().size() > FEW ? null : sockets.info(local, remote);
        } catch (IOException e) {
            LOG.debug("A connection broke", e); // the next read says so too
            return null;
        }
    }

    /** The selector says that there is room. */
    void unblock() {
        if (writeBlocked) {
            writeBlocked = false;
            loop.attention(-1);
            watch();
        }
    }

    void keepAlive(KeepAliveTimes wanted) {
        SocketChannel current = channel;
        if (current == null) {
            return;
        }
        try {
            NioSockets.keepAlive(current, wanted);
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
            channel().shutdownOutput();
        }
    }

    void close(boolean reset) {
        SocketChannel closing = channel;
        if (closing == null) {
            return;
        }
        if (connecting || writeBlocked) {
            loop.attention(-1);
            connecting = false;
            writeBlocked = false;
        }
        try {
            if (reset && closing.isOpen() && closing.isConnected()) {
                NioSockets.resetOnClose(closing);
            }
            closing.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection failed", e);
        } finally {
            channel = null;
            key = null;
            info = null;
            infoSought = false;
            blocking = false;
            loop.selector().channelClosed();
        }
    }

    private void watch() {
        SelectionKey current = key;
        if (current != null && current.isValid()) {
            int read = inputClosed ? 0 : SelectionKey.OP_READ;
            int write = writeBlocked ? SelectionKey.OP_WRITE : 0;
            current.interestOps(read | write);
        }
    }

    /** Takes the channel out of the selector, so that it can block. */
    void block() throws IOException {
        SelectionKey current = key;
        if (current != null) {
            current.cancel();
            key = null;
            loop.selector().letGo();
        }
        channel().configureBlocking(true);
        blocking = true;
    }

    /** Gives the channel back to the selector. If it is closed by now, its stream hears of that here, and nowhere else. */
    void unblockChannel() {
        blocking = false;
        SocketChannel current = channel;
        if (current == null) {
            return;
        }
        try {
            current.configureBlocking(false);
            key = loop.selector().register(current, SelectionKey.OP_READ, stream);
            watch();
        } catch (IOException e) {
            loop.note(() -> stream.broken(e)); // it may be in a call of its engine
        }
    }
}
