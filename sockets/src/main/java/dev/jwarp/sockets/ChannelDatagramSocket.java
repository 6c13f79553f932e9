package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.MembershipKey;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The DatagramSocket of a channel, which is a MulticastSocket as in the JDK. It has packets and a time-out. */
@SuppressWarnings("deprecation") // some methods of MulticastSocket are
final class ChannelDatagramSocket extends MulticastSocket {
    /**
     * Set while a thread makes the internal socket of a MulticastSocket, which is never used because all methods are
     * overridden.
     */
    private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

    private final TimedDatagramChannel channel;
    private final List<MembershipKey> groups = new CopyOnWriteArrayList<>();
    private volatile int timeout;

    /**
     * The capacity of packets that were received into, by identity: java.net keeps it in a field that is not
     * accessible.
     */
    private static final Map<DatagramPacket, Room> ROOMS = Collections.synchronizedMap(new WeakHashMap<>());

    private final Object receiving = new Object();

    /** The state of a packet after a receive, with its capacity. */
    private record Room(byte[] data, int offset, int length, int bytes) {
        boolean isOf(DatagramPacket packet) {
            return packet.getData() == data && packet.getOffset() == offset && packet.getLength() == length;
        }
    }

    private ChannelDatagramSocket(TimedDatagramChannel channel) throws IOException {
        super((SocketAddress) null);
        super.close();
        this.channel = channel;
    }

    /** {@return the socket of that channel} */
    static DatagramSocket of(TimedDatagramChannel channel) {
        INSIDE.set(true);
        try {
            return new ChannelDatagramSocket(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            INSIDE.remove();
        }
    }

    /**
     * {@return the implementation of a DatagramSocket that is made now, if jwarp makes them}
     *
     * @param impl makes the implementation of a socket of the program
     */
    static DatagramSocketImpl implementation(Supplier<DatagramSocketImpl> impl) {
        return INSIDE.get() ? new Nothing() : impl.get();
    }

    // ---- addresses

    @Override
    public void bind(@Nullable SocketAddress local) throws SocketException {
        try {
            channel.bind(local);
        } catch (IOException | RuntimeException e) {
            throw ChannelSocket.socketException(e);
        }
    }

    @Override
    public void connect(InetAddress address, int port) {
        try {
            connect(new InetSocketAddress(address, port));
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void connect(@Nullable SocketAddress peer) throws SocketException {
        if (peer == null) {
            throw new IllegalArgumentException("a datagram socket is connected to an address, not to null");
        }
        try {
            if (peer() != null) {
                channel.disconnect(); // unlike a channel, a socket may be connected again
            }
            channel.connect(peer);
        } catch (IOException | RuntimeException e) {
            throw ChannelSocket.socketException(e);
        }
    }

    @Override
    public void disconnect() {
        try {
            channel.disconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isBound() {
        return localAddress() != null;
    }

    @Override
    public boolean isConnected() {
        return peer() != null;
    }

    private @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.knownLocal();
    }

    private @Nullable InetSocketAddress peer() {
        return (InetSocketAddress) channel.knownRemote();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        InetSocketAddress peer = peer();
        return peer == null ? null : peer.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress peer = peer();
        return peer == null ? -1 : peer.getPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return peer();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return isClosed() ? null : localAddress();
    }

    @Override
    public @Nullable InetAddress getLocalAddress() {
        InetSocketAddress local = localAddress();
        return isClosed() ? null : local == null ? new InetSocketAddress(0).getAddress() : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = localAddress();
        return isClosed() ? -1 : local == null ? 0 : local.getPort();
    }

    // ---- packets

    @Override
    public void send(DatagramPacket packet) throws IOException {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        ByteBuffer bytes = ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength());
        InetSocketAddress peer = peer();
        try {
            if (packet.getAddress() != null) {
                channel.send(bytes, packet.getSocketAddress());
            } else if (peer != null) {
                packet.setSocketAddress(peer); // as the JDK's does
                channel.write(bytes);
            } else {
                throw new IllegalArgumentException("the packet has no address, and the socket is not connected");
            }
        } catch (AlreadyConnectedException e) {
            throw new IllegalArgumentException(
                    "the socket is connected to " + peer + ", and the packet has another address", e);
        } catch (IOException e) {
            throw ChannelSocket.translated(e);
        }
    }

    @Override
    public void receive(DatagramPacket packet) throws IOException {
        synchronized (receiving) {
            int room = room(packet);
            ByteBuffer into = ByteBuffer.wrap(packet.getData(), packet.getOffset(), room);
            int before = into.position();
            try {
                SocketAddress from =
                        channel.receive(into, timeout == 0 ? SocketContext.FOR_EVER : Duration.ofMillis(timeout));
                packet.setLength(into.position() - before);
                packet.setSocketAddress(Objects.requireNonNull(from, "it was received"));
            } catch (IOException e) {
                throw ChannelSocket.translated(e);
            }
            ROOMS.put(packet, new Room(packet.getData(), packet.getOffset(), packet.getLength(), room));
        }
    }

    /**
     * {@return the capacity of a packet in bytes} A packet that is used again has the same capacity as before, although
     * a receive has set its length.
     */
    private static int room(DatagramPacket packet) {
        Room known = ROOMS.get(packet);
        return known != null && known.isOf(packet) ? known.bytes() : packet.getLength();
    }

    // ---- options

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        int wanted = ChannelSocket.timeout(millis);
        checkOpen();
        timeout = wanted;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        checkOpen();
        return timeout;
    }

    private void checkOpen() throws SocketException {
        if (isClosed()) {
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
    public void setSendBufferSize(int size) throws SocketException {
        set(StandardSocketOptions.SO_SNDBUF, ChannelSocket.positive(size));
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        set(StandardSocketOptions.SO_RCVBUF, ChannelSocket.positive(size));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
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
    public void setBroadcast(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_BROADCAST, on);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return get(StandardSocketOptions.SO_BROADCAST);
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
    public <T> DatagramSocket setOption(SocketOption<T> name, T value) throws IOException {
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

    // ---- the end

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    @Override
    public void joinGroup(SocketAddress group, @Nullable NetworkInterface on) throws IOException {
        checkOpen();
        InetAddress address = HostAddresses.checked(group, null).getAddress();
        if (localAddress() == null) {
            throw new SocketException("bind the socket before it joins the group " + address);
        }
        try {
            MembershipKey key = channel.join(address, on == null ? usual() : on);
            if (groups.contains(key)) {
                throw new SocketException("the socket is a member of " + address + " already");
            }
            groups.add(key);
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            SocketException refused = new SocketException(e.getMessage());
            refused.initCause(e);
            throw refused;
        }
    }

    /** {@return the interface to join on by default} */
    private NetworkInterface usual() throws IOException {
        NetworkInterface chosen = channel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
        InetAddress here = getLocalAddress();
        if (chosen == null && here != null && !here.isAnyLocalAddress()) {
            chosen = NetworkInterface.getByInetAddress(here);
        }
        if (chosen != null) {
            return chosen;
        }
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (one.isUp() && one.supportsMulticast() && !one.isLoopback()) {
                return one;
            }
        }
        return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    }

    @Override
    public void leaveGroup(SocketAddress group, @Nullable NetworkInterface on) throws IOException {
        checkOpen();
        InetAddress address = HostAddresses.checked(group, null).getAddress();
        MembershipKey key = groups.stream()
                .filter(one -> one.group().equals(address)
                        && (on == null || one.networkInterface().equals(on)))
                .findFirst()
                .orElseThrow(() -> new SocketException("Not a member of group"));
        key.drop();
        groups.remove(key);
    }

    // ---- further methods of MulticastSocket

    @Override
    public void joinGroup(InetAddress group) throws IOException {
        joinGroup(new InetSocketAddress(group, 0), null);
    }

    @Override
    public void leaveGroup(InetAddress group) throws IOException {
        leaveGroup(new InetSocketAddress(group, 0), null);
    }

    @Override
    public void setTimeToLive(int hops) throws IOException {
        set(StandardSocketOptions.IP_MULTICAST_TTL, hops);
    }

    @Override
    public int getTimeToLive() throws IOException {
        return get(StandardSocketOptions.IP_MULTICAST_TTL);
    }

    @Override
    public void setTTL(byte hops) throws IOException {
        setTimeToLive(Byte.toUnsignedInt(hops));
    }

    @Override
    public byte getTTL() throws IOException {
        return (byte) getTimeToLive();
    }

    @Override
    public synchronized void send(DatagramPacket packet, byte hops) throws IOException {
        int before = getTimeToLive();
        setTTL(hops);
        try {
            send(packet);
        } finally {
            setTimeToLive(before);
        }
    }

    @Override
    public void setNetworkInterface(NetworkInterface device) throws SocketException {
        set(StandardSocketOptions.IP_MULTICAST_IF, device);
    }

    /** {@return the interface that was set; null if none was} */
    @Override
    public @Nullable NetworkInterface getNetworkInterface() throws SocketException {
        try {
            return channel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
        } catch (IOException e) {
            throw ChannelSocket.socketException(e);
        }
    }

    @Override
    public void setInterface(InetAddress address) throws SocketException {
        NetworkInterface device = NetworkInterface.getByInetAddress(address);
        if (device == null) {
            throw new SocketException("bad argument for IP_MULTICAST_IF: address not bound to any interface");
        }
        setNetworkInterface(device);
    }

    @Override
    public InetAddress getInterface() throws SocketException {
        return address(getNetworkInterface());
    }

    /** {@return an address of the interface; the wildcard without an interface} */
    private static InetAddress address(@Nullable NetworkInterface device) {
        InetAddress none = new InetSocketAddress(0).getAddress();
        return device == null ? none : device.inetAddresses().findFirst().orElse(none);
    }

    @Override
    public void setLoopbackMode(boolean off) throws SocketException {
        set(StandardSocketOptions.IP_MULTICAST_LOOP, !off);
    }

    @Override
    public boolean getLoopbackMode() throws SocketException {
        return !get(StandardSocketOptions.IP_MULTICAST_LOOP);
    }

    /** The implementation that the constructor of DatagramSocket needs. It is never used. */
    private static final class Nothing extends DatagramSocketImpl {
        private static UnsupportedOperationException never() {
            return new UnsupportedOperationException("this socket belongs to a channel");
        }

        @Override
        protected void create() {}

        @Override
        protected void bind(int port, InetAddress address) {
            throw never();
        }

        @Override
        protected void send(DatagramPacket packet) {
            throw never();
        }

        @Override
        protected int peek(InetAddress address) {
            throw never();
        }

        @Override
        protected int peekData(DatagramPacket packet) {
            throw never();
        }

        @Override
        protected void receive(DatagramPacket packet) {
            throw never();
        }

        @Override
        protected void setTTL(byte ttl) {
            throw never();
        }

        @Override
        protected byte getTTL() {
            throw never();
        }

        @Override
        protected void setTimeToLive(int ttl) {
            throw never();
        }

        @Override
        protected int getTimeToLive() {
            throw never();
        }

        @Override
        protected void join(InetAddress group) {
            throw never();
        }

        @Override
        protected void leave(InetAddress group) {
            throw never();
        }

        @Override
        protected void joinGroup(SocketAddress group, NetworkInterface on) {
            throw never();
        }

        @Override
        protected void leaveGroup(SocketAddress group, NetworkInterface on) {
            throw never();
        }

        @Override
        protected void close() {}

        @Override
        public void setOption(int name, Object value) {}

        @Override
        public Object getOption(int name) {
            throw never();
        }
    }
}
