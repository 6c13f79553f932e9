package dev.jwarp.sockets;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A channel with what its Socket needs beside: calls that end in time. */
abstract class TimedSocketChannel extends SocketChannel implements Readiness.Owner {
    private @Nullable Socket socket;

    TimedSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * As {@link #connect(SocketAddress)}.
     *
     * @param patience how long it waits at most if the channel blocks
     * @throws SocketTimeoutException if it is not connected in time; the channel is closed then
     */
    abstract boolean connect(SocketAddress peer, Duration patience) throws IOException;

    /**
     * As {@link #read(ByteBuffer)} of a channel that blocks.
     *
     * @param into has an array
     * @param patience how long it waits at most
     * @throws SocketTimeoutException if nothing comes in time
     */
    abstract int read(ByteBuffer into, Duration patience) throws IOException;

    /** {@return bytes that can be read at once} */
    abstract int available() throws IOException;

    abstract boolean inputOpen();

    abstract boolean outputOpen();

    /** {@return where it is bound, or was when it was closed} */
    abstract @Nullable SocketAddress knownLocal();

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return knownLocal();
    }

    /** {@return the peer that it is connected to, or was when it was closed} */
    abstract @Nullable SocketAddress knownRemote();

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        return knownRemote();
    }

    @Override
    public final Socket socket() {
        synchronized (this) {
            if (socket == null) {
                try {
                    socket = new ChannelSocket(this);
                } catch (SocketException e) {
                    throw new IllegalStateException("a Socket without an implementation cannot be made here", e);
                }
            }
            return socket;
        }
    }
}
