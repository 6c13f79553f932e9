package dev.jwarp.sockets;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@code new DatagramSocket()} and {@code new MulticastSocket()} if jwarp makes them: it
 * delegates to the socket of a channel.
 */
@SuppressWarnings("deprecation") // some required methods are
final class PacketSocketImpl extends DatagramSocketImpl {
    private volatile @Nullable MulticastSocket socket;

    private MulticastSocket socket() throws SocketException {
        MulticastSocket there = socket;
        if (there == null) {
            throw new SocketException("Socket is closed");
        }
        return there;
    }

    // ---- life cycle

    @Override
    protected void create() throws SocketException {
        try {
            socket = (MulticastSocket) JwarpSockets.openDatagramChannel().socket();
        } catch (IOException e) {
            throw ChannelSocket.socketException(e);
        }
    }

    @Override
    protected void bind(int port, InetAddress address) throws SocketException {
        socket().bind(new InetSocketAddress(address, port));
        localPort = socket().getLocalPort();
    }

    @Override
    protected void connect(InetAddress address, int port) throws SocketException {
        socket().connect(new InetSocketAddress(address, port));
    }

    @Override
    protected void disconnect() {
        MulticastSocket there = socket;
        if (there != null) {
            there.disconnect();
        }
    }

    @Override
    protected void close() {
        MulticastSocket there = socket;
        if (there != null) {
            there.close();
        }
    }

    // ---- packets

    @Override
    protected void send(DatagramPacket packet) throws IOException {
        afterInterrupt(() -> socket().send(packet));
    }

    @Override
    protected void receive(DatagramPacket packet) throws IOException {
        afterInterrupt(() -> socket().receive(packet));
    }

    private interface Call {
        void make() throws IOException;
    }

    /** An interrupt from before the call does not close the socket, as in {@code java.net}. */
    private static void afterInterrupt(Call call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            call.make();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static UnsupportedOperationException never() {
        return new UnsupportedOperationException("peek is not supported: the socket filters packets by itself");
    }

    @Override
    protected int peek(InetAddress address) {
        throw never();
    }

    @Override
    protected int peekData(DatagramPacket packet) {
        throw never();
    }

    // ---- groups

    @Override
    protected void setTimeToLive(int hops) throws IOException {
        socket().setTimeToLive(hops);
    }

    @Override
    protected int getTimeToLive() throws IOException {
        return socket().getTimeToLive();
    }

    @Override
    protected void setTTL(byte hops) throws IOException {
        socket().setTTL(hops);
    }

    @Override
    protected byte getTTL() throws IOException {
        return socket().getTTL();
    }

    @Override
    protected void join(InetAddress group) throws IOException {
        socket().joinGroup(group);
    }

    @Override
    protected void leave(InetAddress group) throws IOException {
        socket().leaveGroup(group);
    }

    @Override
    protected void joinGroup(SocketAddress group, @Nullable NetworkInterface on) throws IOException {
        socket().joinGroup(group, on);
    }

    @Override
    protected void leaveGroup(SocketAddress group, @Nullable NetworkInterface on) throws IOException {
        socket().leaveGroup(group, on);
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
        MulticastSocket there = socket;
        return there == null ? Set.of() : there.supportedOptions();
    }

    /** Sets an option by its number. The value of IP_MULTICAST_LOOP tells whether the loop is off. */
    @Override
    public void setOption(int option, Object value) throws SocketException {
        MulticastSocket is = socket();
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> is.setSoTimeout((Integer) value);
            case SocketOptions.IP_MULTICAST_LOOP -> is.setLoopbackMode((Boolean) value);
            case SocketOptions.IP_MULTICAST_IF -> is.setInterface((InetAddress) value);
            case SocketOptions.IP_MULTICAST_IF2 -> is.setNetworkInterface((NetworkInterface) value);
            default -> ChannelSocketImpl.set(is.getChannel(), option, value);
        }
    }

    @Override
    public @Nullable Object getOption(int option) throws SocketException {
        MulticastSocket is = socket();
        return switch (option) {
            case SocketOptions.SO_BINDADDR -> is.getLocalAddress();
            case SocketOptions.SO_TIMEOUT -> is.getSoTimeout();
            case SocketOptions.IP_MULTICAST_LOOP -> is.getLoopbackMode();
            case SocketOptions.IP_MULTICAST_IF -> is.getInterface();
            case SocketOptions.IP_MULTICAST_IF2 -> is.getNetworkInterface();
            default -> ChannelSocketImpl.get(is.getChannel(), option);
        };
    }
}
