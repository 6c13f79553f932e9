package dev.jwarp.sockets;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A channel with the additional call of its DatagramSocket: a receive with a time limit. */
abstract class TimedDatagramChannel extends DatagramChannel implements Readiness.Owner {
    private @Nullable DatagramSocket socket;

    TimedDatagramChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * As {@link #receive(ByteBuffer)} of a channel that blocks.
     *
     * @param patience how long the call waits at most
     * @throws java.net.SocketTimeoutException if nothing arrives in time
     */
    abstract @Nullable SocketAddress receive(ByteBuffer into, Duration patience) throws IOException;

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
    public final DatagramSocket socket() {
        synchronized (this) {
            if (socket == null) {
                socket = ChannelDatagramSocket.of(this);
            }
            return socket;
        }
    }
}
