package dev.jwarp.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@code new ServerSocket()} of the program where jwarp makes them: the socket of a channel. That socket itself, which overrides all that would
 * use one, has one too, as a ServerSocket cannot be made without.
 */
final class ListenerSocketImpl extends SocketImpl {
    private final ServerSocketChannel channel;
    private volatile @Nullable InetSocketAddress bound;

    ListenerSocketImpl(ServerSocketChannel channel) {
        this.channel = channel;
    }

    private ServerSocket socket() {
        return channel.socket();
    }

    private static UnsupportedOperationException never() {
        return new UnsupportedOperationException("a server socket does not connect, and has no bytes");
    }

    @Override
    protected void create(boolean stream) {}

    /** Only with {@link #listen} is known for how many. */
    @Override
    protected void bind(InetAddress host, int port) {
        bound = new InetSocketAddress(host, port);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        socket().bind(bound, backlog);
        // A ServerSocket still has its address when it is closed.
        address = socket().getInetAddress();
        localport = socket().getLocalPort();
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        if (!(into instanceof StreamSocketImpl stream)) {
            throw new SocketException("a server socket of RDMA accepts into sockets that jwarp makes, not into one of "
                    + into.getClass());
        }
        stream.take(socket().accept());
    }

    @Override
    protected void close() throws IOException {
        channel.close();
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        socket().setOption(name, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        return socket().getOption(name);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return socket().supportedOptions();
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> socket().setSoTimeout((Integer) value);
            case SocketOptions.SO_RCVBUF -> socket().setReceiveBufferSize((Integer) value);
            case SocketOptions.SO_REUSEADDR -> socket().setReuseAddress((Boolean) value);
            default -> throw unknown(option);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        try {
            return switch (option) {
                case SocketOptions.SO_TIMEOUT -> socket().getSoTimeout();
                case SocketOptions.SO_RCVBUF -> socket().getReceiveBufferSize();
                case SocketOptions.SO_REUSEADDR -> socket().getReuseAddress();
                default -> throw unknown(option);
            };
        } catch (IOException e) {
            throw ChannelSocket.socketException(e);
        }
    }

    private static SocketException unknown(int option) {
        return new SocketException("a server socket of RDMA has no option with number " + option + " of SocketOptions");
    }

    // ---- what a server socket is never asked for

    @Override
    protected void connect(String host, int port) {
        throw never();
    }

    @Override
    protected void connect(InetAddress host, int port) {
        throw never();
    }

    @Override
    protected void connect(SocketAddress peer, int millis) {
        throw never();
    }

    @Override
    protected InputStream getInputStream() {
        throw never();
    }

    @Override
    protected OutputStream getOutputStream() {
        throw never();
    }

    @Override
    protected int available() {
        throw never();
    }

    @Override
    protected void sendUrgentData(int data) {
        throw never();
    }
}
