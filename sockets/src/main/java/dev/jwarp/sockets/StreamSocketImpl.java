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
import java.net.SocketOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is behind a {@code new Socket()} of the program where jwarp makes them: the socket of a channel. */
final class StreamSocketImpl extends SocketImpl {
    /** There from {@link #create} or {@link #take} on, which come first. */
    private volatile @Nullable Socket socket;

    private Socket socket() throws SocketException {
        Socket is = socket;
        if (is == null) {
            throw new SocketException("Socket is closed");
        }
        return is;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new SocketException("a Socket that is no stream cannot be made over RDMA: use DatagramSocket");
        }
        socket = JwarpSockets.openSocketChannel().socket();
    }

    /** Becomes the end of a connection that was accepted. */
    void take(Socket accepted) {
        socket = accepted;
        keepAddresses(accepted);
    }

    // ---- addresses

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(SocketAddress peer, int millis) throws IOException {
        socket().connect(peer, millis);
        keepAddresses(socket());
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        socket().bind(new InetSocketAddress(host, port));
        localport = socket().getLocalPort();
    }

    /** A Socket still has its addresses when it is closed. */
    private void keepAddresses(Socket of) {
        address = of.getInetAddress();
        port = of.getPort();
        localport = of.getLocalPort();
    }

    @Override
    protected void listen(int backlog) {
        throw new UnsupportedOperationException("a Socket does not listen: its class is not ServerSocket");
    }

    @Override
    protected void accept(SocketImpl into) {
        throw new UnsupportedOperationException("a Socket does not accept: its class is not ServerSocket");
    }

    // ---- bytes

    @Override
    protected InputStream getInputStream() throws IOException {
        return socket().getInputStream();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        return socket().getOutputStream();
    }

    @Override
    protected int available() throws IOException {
        Socket is = socket();
        return is.isInputShutdown() ? 0 : is.getInputStream().available();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        socket().sendUrgentData(data);
    }

    // ---- its end

    @Override
    protected void shutdownInput() throws IOException {
        socket().shutdownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        socket().shutdownOutput();
    }

    @Override
    protected void close() throws IOException {
        Socket is = socket;
        if (is != null) {
            is.close();
        }
    }

    // ---- options

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
        try {
            return socket().supportedOptions();
        } catch (SocketException e) {
            return Set.of();
        }
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        Socket is = socket();
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> is.setSoTimeout((Integer) value);
            case SocketOptions.TCP_NODELAY -> is.setTcpNoDelay((Boolean) value);
            case SocketOptions.SO_LINGER ->
                is.setSoLinger(value instanceof Integer, value instanceof Integer seconds ? seconds : 0);
            case SocketOptions.SO_SNDBUF -> is.setSendBufferSize((Integer) value);
            case SocketOptions.SO_RCVBUF -> is.setReceiveBufferSize((Integer) value);
            case SocketOptions.SO_KEEPALIVE -> is.setKeepAlive((Boolean) value);
            case SocketOptions.SO_REUSEADDR -> is.setReuseAddress((Boolean) value);
            case SocketOptions.SO_OOBINLINE -> is.setOOBInline((Boolean) value);
            case SocketOptions.IP_TOS -> is.setTrafficClass((Integer) value);
            default -> throw unknown(option);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        Socket is = socket();
        return switch (option) {
            case SocketOptions.SO_BINDADDR -> is.getLocalAddress();
            case SocketOptions.SO_TIMEOUT -> is.getSoTimeout();
            case SocketOptions.TCP_NODELAY -> is.getTcpNoDelay();
            case SocketOptions.SO_LINGER -> is.getSoLinger();
            case SocketOptions.SO_SNDBUF -> is.getSendBufferSize();
            case SocketOptions.SO_RCVBUF -> is.getReceiveBufferSize();
            case SocketOptions.SO_KEEPALIVE -> is.getKeepAlive();
            case SocketOptions.SO_REUSEADDR -> is.getReuseAddress();
            case SocketOptions.SO_OOBINLINE -> is.getOOBInline();
            case SocketOptions.IP_TOS -> is.getTrafficClass();
            default -> throw unknown(option);
        };
    }

    private static SocketException unknown(int option) {
        return new SocketException("a stream of RDMA has no option with number " + option + " of SocketOptions");
    }
}
