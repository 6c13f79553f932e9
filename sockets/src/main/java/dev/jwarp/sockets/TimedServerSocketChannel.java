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

/** A channel with what its ServerSocket needs beside: a call that ends in time. */
abstract class TimedServerSocketChannel extends ServerSocketChannel implements Readiness.Owner {
    private @Nullable ServerSocket socket;

    TimedServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * As {@link #accept()} of a channel that blocks.
     *
     * @param patience how long it waits at most
     * @throws SocketTimeoutException if none comes in time
     */
    abstract SocketChannel accept(Duration patience) throws IOException;

    /** {@return where it is bound, or was when it was closed} */
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
