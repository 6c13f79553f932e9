package dev.jwarp.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The ServerSocket of a channel: the same listener, with a time-out. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel has locks of its own
final class ChannelServerSocket extends ServerSocket {
    private final TimedServerSocketChannel channel;
    private volatile int timeout;

    ChannelServerSocket(TimedServerSocketChannel channel) {
        super(new ChannelSocketImpl(channel));
        this.channel = channel;
    }

    @Override
    public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
        try {
            channel.bind(local, backlog);
        } catch (IOException | RuntimeException e) {
            throw ChannelSocket.translated(e);
        }
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        bind(local, 0);
    }

    @Override
    public Socket accept() throws IOException {
        try {
            int millis = timeout;
            SocketChannel accepted = millis == 0 ? channel.accept() : channel.accept(Duration.ofMillis(millis));
            if (accepted == null) { // the channel is non-blocking, and no connection waits
                throw new IllegalBlockingModeException();
            }
            return accepted.socket();
        } catch (IllegalBlockingModeException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw ChannelSocket.translated(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private @Nullable InetSocketAddress local() {
        return (InetSocketAddress) channel.knownLocal();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        InetSocketAddress local = local();
        return local == null ? null : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return local();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public boolean isBound() {
        return local() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        checkOpen();
        timeout = ChannelSocket.timeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        checkOpen();
        return timeout;
    }

    private void checkOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    private <T> void set(SocketOption<T> option, T value) throws SocketException {
        ChannelSocket.set(channel, option, value);
    }

    private <T> T get(SocketOption<T> option) throws SocketException {
        return ChannelSocket.get(channel, option);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        set(StandardSocketOptions.SO_RCVBUF, ChannelSocket.positive(bytes));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public String toString() {
        return "ServerSocket of " + channel;
    }
}
