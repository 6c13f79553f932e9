package dev.jwarp.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The Socket of a channel: the same connection, with streams and time-outs. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel has locks of its own
final class ChannelSocket extends Socket {
    private final TimedSocketChannel channel;
    private volatile int timeout;

    ChannelSocket(TimedSocketChannel channel) throws SocketException {
        super((SocketImpl) null); // every method that would use one is overridden
        this.channel = channel;
    }

    /** {@return the exception of a Socket for the exception {@code e} of its channel} */
    static IOException translated(Exception e) {
        if (e instanceof ClosedChannelException) {
            return caused(new SocketException("Socket closed"), e);
        }
        if (e instanceof IOException exception) {
            return exception;
        }
        if (e instanceof NotYetBoundException) {
            return caused(new SocketException("Socket is not bound yet"), e);
        }
        if (e instanceof AlreadyBoundException) {
            return caused(new SocketException("Already bound"), e);
        }
        if (e instanceof AlreadyConnectedException) {
            return caused(new SocketException("Already connected"), e);
        }
        if (e instanceof UnresolvedAddressException) {
            return caused(new SocketException("Unresolved address"), e);
        }
        if (e instanceof UnsupportedAddressTypeException) {
            return caused(new SocketException("Unsupported address type"), e);
        }
        if (e instanceof NotYetConnectedException) {
            return caused(new SocketException("Socket is not connected"), e);
        }
        if (e instanceof IllegalBlockingModeException || e instanceof IllegalArgumentException) {
            throw (RuntimeException) e;
        }
        return caused(new SocketException(String.valueOf(e)), e);
    }

    /** {@return the same as {@link #translated}, for methods that may throw only a SocketException} */
    static SocketException socketException(Exception e) {
        IOException translated = translated(e);
        if (translated instanceof SocketException exception) {
            return exception;
        }
        SocketException exception = new SocketException(String.valueOf(e.getMessage()));
        exception.initCause(e);
        return exception;
    }

    private static IOException caused(IOException exception, Exception cause) {
        exception.initCause(cause);
        return exception;
    }

    private static Duration patience(int millis) {
        return timeout(millis) == 0 ? SocketContext.FOR_EVER : Duration.ofMillis(millis);
    }

    // ---- addresses

    @Override
    public void connect(SocketAddress peer) throws IOException {
        connect(peer, 0);
    }

    @Override
    public void connect(SocketAddress peer, int millis) throws IOException {
        Objects.requireNonNull(peer, "peer");
        Duration patience = patience(millis);
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (peer instanceof InetSocketAddress internet && internet.isUnresolved()) {
            throw new UnknownHostException(internet.getHostString());
        }
        try {
            channel.connect(peer, patience);
        } catch (IOException | RuntimeException e) {
            throw translated(e);
        }
    }

    @Override
    public void bind(@Nullable SocketAddress local) throws IOException {
        try {
            channel.bind(local);
        } catch (IOException | RuntimeException e) {
            throw translated(e);
        }
    }

    // A closed socket still has its addresses, as in the JDK.

    private @Nullable InetSocketAddress remote() {
        return (InetSocketAddress) channel.knownRemote();
    }

    private @Nullable InetSocketAddress local() {
        return (InetSocketAddress) channel.knownLocal();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        InetSocketAddress remote = remote();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = remote();
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress local = local();
        return local == null || isClosed() ? new InetSocketAddress(0).getAddress() : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return remote();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return local();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    // ---- bytes

    @Override
    public InputStream getInputStream() throws IOException {
        checkConnected();
        if (!channel.inputOpen()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new Input();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        checkConnected();
        if (!channel.outputOpen()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new Output();
    }

    private void checkConnected() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
        if (!channel.isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            int read = read(one, 0, 1);
            return read < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) {
                return 0;
            }
            try {
                return channel.read(ByteBuffer.wrap(into, offset, length), patience(timeout));
            } catch (IOException | RuntimeException e) {
                throw translated(e);
            }
        }

        @Override
        public int available() throws IOException {
            try {
                return channel.available();
            } catch (IOException | RuntimeException e) {
                throw translated(e);
            }
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, from.length);
            try {
                if (!channel.isBlocking()) {
                    throw new IllegalBlockingModeException();
                }
                ByteBuffer left = ByteBuffer.wrap(from, offset, length);
                do {
                    channel.write(left); // after a partial write the channel is closed, and the next write throws
                } while (left.hasRemaining());
            } catch (IOException | RuntimeException e) {
                throw translated(e);
            }
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        throw new SocketException("RDMA streams have no urgent data");
    }

    // ---- end

    @Override
    public void shutdownInput() throws IOException {
        try {
            channel.shutdownInput();
        } catch (NotYetConnectedException e) {
            throw translated(e);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            channel.shutdownOutput();
        } catch (NotYetConnectedException e) {
            throw translated(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
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
    public boolean isInputShutdown() {
        return !channel.inputOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return !channel.outputOpen();
    }

    // ---- options

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        checkOpen();
        timeout = timeout(millis);
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
        set(channel, option, value);
    }

    private <T> T get(SocketOption<T> option) throws SocketException {
        return get(channel, option);
    }

    static <T> void set(NetworkChannel of, SocketOption<T> option, T value) throws SocketException {
        try {
            of.setOption(option, value);
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    static <T> T get(NetworkChannel of, SocketOption<T> option) throws SocketException {
        try {
            return Objects.requireNonNull(of.getOption(option));
        } catch (IOException e) {
            throw socketException(e);
        }
    }

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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
    public void setTcpNoDelay(boolean on) throws SocketException {
        set(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        if (on && seconds < 0) {
            throw new IllegalArgumentException("a close waits 0 or more seconds, not " + seconds);
        }
        set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public void setSendBufferSize(int bytes) throws SocketException {
        set(StandardSocketOptions.SO_SNDBUF, positive(bytes));
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        set(StandardSocketOptions.SO_RCVBUF, positive(bytes));
    }

    /**
     * {@return the time-out}
     *
     * @throws IllegalArgumentException if it is negative
     */
    static int timeout(int millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("a time-out is 0 or more milliseconds, not " + millis);
        }
        return millis;
    }

    /** {@return the inverse of {@link #patience}: milliseconds as in {@code java.net}, where 0 means no limit} */
    static int millis(Duration patience) {
        long millis = patience.toMillis();
        return millis > Integer.MAX_VALUE ? 0 : (int) Math.max(1, millis);
    }

    /**
     * {@return the size of a buffer}
     *
     * @throws IllegalArgumentException if it is not positive
     */
    static int positive(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a buffer has 1 or more bytes, not " + bytes);
        }
        return bytes;
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    /** Stores the value. A JDK channel uses it, RDMA does not. */
    @Override
    public void setTrafficClass(int value) throws SocketException {
        set(StandardSocketOptions.IP_TOS, value);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        checkOpen();
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        checkOpen();
        return false;
    }

    @Override
    public String toString() {
        return "Socket of " + channel;
    }
}
