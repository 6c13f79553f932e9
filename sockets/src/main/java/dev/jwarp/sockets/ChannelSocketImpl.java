package dev.jwarp.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@code new Socket()} and {@code new ServerSocket()} if jwarp makes them: it delegates to the
 * socket of a channel. The socket of a ServerSocketChannel has one, too, only because the constructor of ServerSocket
 * needs it.
 */
final class ChannelSocketImpl extends SocketImpl {
    /** The options of a channel, by the numbers of {@link SocketOptions}. */
    private static final Map<Integer, SocketOption<?>> NUMBERED = Map.of(
            SocketOptions.TCP_NODELAY,
            StandardSocketOptions.TCP_NODELAY,
            SocketOptions.SO_LINGER,
            StandardSocketOptions.SO_LINGER,
            SocketOptions.SO_SNDBUF,
            StandardSocketOptions.SO_SNDBUF,
            SocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_RCVBUF,
            SocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.SO_KEEPALIVE,
            SocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_REUSEADDR,
            SocketOptions.SO_BROADCAST,
            StandardSocketOptions.SO_BROADCAST,
            SocketOptions.IP_TOS,
            StandardSocketOptions.IP_TOS);

    /** The listener of a ServerSocket; null for a Socket. */
    private final @Nullable ServerSocketChannel listener;

    /** The socket of a Socket's channel, set by {@link #create} or {@link #take}. */
    private volatile @Nullable Socket socket;

    private volatile @Nullable InetSocketAddress bound;

    /** Made for a Socket. */
    ChannelSocketImpl() {
        listener = null;
    }

    /** Made for a ServerSocket. */
    ChannelSocketImpl(ServerSocketChannel listener) {
        this.listener = listener;
    }

    private Socket socket() throws SocketException {
        Socket is = socket;
        if (listener != null) {
            throw new UnsupportedOperationException("a server socket does not connect, and has no bytes");
        }
        if (is == null) {
            throw new SocketException("Socket is closed");
        }
        return is;
    }

    private ServerSocket server() {
        if (listener == null) {
            throw new UnsupportedOperationException(
                    "a Socket neither listens nor accepts: its class is not ServerSocket");
        }
        return listener.socket();
    }

    private NetworkChannel channel() throws SocketException {
        return listener == null ? socket().getChannel() : listener;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new SocketException("a Socket that is no stream cannot be made over RDMA: use DatagramSocket");
        }
        if (listener == null) {
            socket = JwarpSockets.openSocketChannel().socket();
        }
    }

    // ---- addresses, which a closed socket still has

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

    private void keepAddresses(Socket of) {
        address = of.getInetAddress();
        port = of.getPort();
        localport = of.getLocalPort();
    }

    /** Binds a Socket. A listener is bound by {@link #listen}, which has the backlog. */
    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        bound = new InetSocketAddress(host, port);
        if (listener == null) {
            socket().bind(bound);
            localport = socket().getLocalPort();
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        server().bind(bound, backlog);
        address = server().getInetAddress();
        localport = server().getLocalPort();
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        if (!(into instanceof ChannelSocketImpl stream)) {
            throw new SocketException("a server socket of RDMA accepts into sockets that jwarp makes, not into one of "
                    + into.getClass());
        }
        stream.take(server().accept());
    }

    private void take(Socket accepted) {
        socket = accepted;
        keepAddresses(accepted);
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

    // ---- end

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
        if (listener != null) {
            listener.close();
        } else if (is != null) {
            is.close();
        }
    }

    // ---- options

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        channel().setOption(name, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        return channel().getOption(name);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        try {
            return channel().supportedOptions();
        } catch (SocketException e) {
            return Set.of();
        }
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        if (option == SocketOptions.SO_TIMEOUT) {
            if (listener == null) {
                socket().setSoTimeout((Integer) value);
            } else {
                listener.socket().setSoTimeout((Integer) value);
            }
        } else if (option == SocketOptions.SO_OOBINLINE && listener == null) {
            socket().setOOBInline((Boolean) value);
        } else {
            boolean noLinger = option == SocketOptions.SO_LINGER && !(value instanceof Integer);
            set(channel(), option, noLinger ? -1 : value);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        try {
            if (option == SocketOptions.SO_TIMEOUT) {
                return listener == null
                        ? socket().getSoTimeout()
                        : listener.socket().getSoTimeout();
            }
        } catch (IOException e) {
            throw ChannelSocket.socketException(e);
        }
        if (listener == null && option == SocketOptions.SO_BINDADDR) {
            return socket().getLocalAddress();
        }
        return listener == null && option == SocketOptions.SO_OOBINLINE
                ? socket().getOOBInline()
                : get(channel(), option);
    }

    /** Sets an option of a channel by its number. */
    static void set(NetworkChannel of, int option, Object value) throws SocketException {
        set(of, numbered(of, option), value);
    }

    private static <T> void set(NetworkChannel of, SocketOption<T> name, Object value) throws SocketException {
        ChannelSocket.set(of, name, name.type().cast(value));
    }

    /** {@return the value of an option of a channel by its number} */
    static Object get(NetworkChannel of, int option) throws SocketException {
        return ChannelSocket.get(of, numbered(of, option));
    }

    private static SocketOption<?> numbered(NetworkChannel of, int option) throws SocketException {
        SocketOption<?> name = NUMBERED.get(option);
        if (name == null || !of.supportedOptions().contains(name)) {
            throw new SocketException("a " + of + " has no option with number " + option + " of SocketOptions");
        }
        return name;
    }
}
