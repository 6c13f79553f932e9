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

/** A channel with the additional calls of its Socket: calls with a time limit. */
abstract class TimedSocketChannel extends SocketChannel implements Readiness.Owner {
    private @Nullable Socket socket;

    TimedSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * As {@link #connect(SocketAddress)}.
     *
     * @param patience how long the call waits at most if the channel blocks
     * @throws SocketTimeoutException if the channel is not connected in time; the channel is closed then
     */
    abstract boolean connect(SocketAddress peer, Duration patience) throws IOException;

    /**
     * As {@link #read(ByteBuffer)} of a channel that blocks.
     *
     * @param into a buffer with an array
     * @param patience how long the call waits at most
     * @throws SocketTimeoutException if nothing arrives in time
     */
    abstract int read(ByteBuffer into, Duration patience) throws IOException;

    /** {@return bytes that can be read at once} */
    abstract int available() throws IOException;

    abstract boolean inputOpen();

    abstract boolean outputOpen();

    /** {@return the local address, also after a close} */
    abstract @Nullable SocketAddress knownLocal();

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return knownLocal();
    }

    /** {@return the connected peer, also after a close} */
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
