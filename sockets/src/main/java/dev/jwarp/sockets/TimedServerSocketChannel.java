package dev.jwarp.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A channel with the additional call of its ServerSocket: an accept with a time limit. */
abstract class TimedServerSocketChannel extends ServerSocketChannel implements Readiness.Owner {
    private @Nullable ServerSocket socket;

    TimedServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * As {@link #accept()} of a channel that blocks.
     *
     * @param patience how long the call waits at most
     * @throws SocketTimeoutException if no connection arrives in time
     */
    abstract SocketChannel accept(Duration patience) throws IOException;

    /** {@return the local address, also after a close} */
    abstract @Nullable SocketAddress knownLocal();

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return knownLocal();
    }

    @Override
    public final ServerSocket socket() {
        synchronized (this) {
            if (socket == null) {
                socket = new ChannelServerSocket(this);
            }
            return socket;
        }
    }
}
