package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.datagram.DatagramMode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A DatagramChannel that delegates to a channel of jwarp or of the JDK. The choice is made at the bind by the local
 * address, or at the first connect or send by the destination.
 */
final class RoutedDatagramChannel extends TimedDatagramChannel {
    private final SelectorProvider jdk;
    private final @Nullable ProtocolFamily family;
    private final SocketRules rules;
    private final RdmaDatagramChannel rdma;

    /** Options of the program, for a JDK channel that may be opened; also guards the decision. */
    private final KeptOptions set = new KeptOptions();

    private volatile @Nullable DatagramChannel decided;

    /** The program's membership keys, by the keys of the channel beneath. */
    private final Map<MembershipKey, MembershipKey> memberships = new ConcurrentHashMap<>();

    /**
     * Made undecided.
     *
     * @param jdk opens a channel of UDP
     * @param family of its addresses; null for any
     */
    RoutedDatagramChannel(
            SelectorProvider provider,
            SelectorProvider jdk,
            SocketContext sockets,
            @Nullable ProtocolFamily family,
            SocketRules rules) {
        super(provider);
        this.jdk = jdk;
        this.family = family;
        this.rules = rules;
        rdma = new RdmaDatagramChannel(provider, jdk, sockets, family, this::modeOf, blockingLock());
    }

    private DatagramMode modeOf(InetSocketAddress to) {
        return rules.peer(to, rdma.options().find(JwarpSocketOptions.MODE));
    }

    /** {@return the chosen channel; the RDMA channel before the decision} */
    private DatagramChannel target() {
        DatagramChannel known = decided;
        return known == null ? rdma : known;
    }

    /** {@return the chosen channel, from now on} */
    private DatagramChannel decide(SocketMode mode) throws IOException {
        synchronized (set) {
            DatagramChannel known = decided;
            if (known == null) {
                known = mode == SocketMode.TCP && isOpen() ? plain() : rdma;
                decided = known;
            }
            return known;
        }
    }

    /** {@return as {@link #decide}, by the address of the bind} */
    private DatagramChannel decideBound(@Nullable SocketAddress local) throws IOException {
        DatagramChannel known = decided;
        if (known != null) {
            return known;
        }
        InetSocketAddress where = local == null ? new InetSocketAddress(0) : HostAddresses.checked(local, family);
        return decide(rdma.options().mode(() -> rules.toListen(where)));
    }

    /** {@return as {@link #decide}, by the destination} */
    private DatagramChannel decideTowards(SocketAddress to) throws IOException {
        DatagramChannel known = decided;
        if (known != null) {
            return known;
        }
        InetSocketAddress where = HostAddresses.checked(to, family);
        return decide(rdma.options().mode(() -> rules.toSend(where)));
    }

    private DatagramChannel plain() throws IOException {
        DatagramChannel channel =
                set.giveTo(family == null ? jdk.openDatagramChannel() : jdk.openDatagramChannel(family), isBlocking());
        rdma.readiness().bePlain(channel);
        return channel;
    }

    /** Closes this channel if the channel beneath was closed, for example by an interrupt of another thread. */
    private void closeWithTarget() throws IOException {
        if (!target().isOpen()) {
            close();
        }
    }

    // ---- addresses

    @Override
    public DatagramChannel bind(@Nullable SocketAddress local) throws IOException {
        decideBound(local).bind(local);
        return this;
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        try {
            decideTowards(remote).connect(remote);
            return this;
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        target().disconnect();
        return this;
    }

    @Override
    public boolean isConnected() {
        return target().isConnected();
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        return target().getRemoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return target().getLocalAddress();
    }

    @Override
    @Nullable
    SocketAddress knownRemote() {
        return target() instanceof TimedDatagramChannel ours
                ? ours.knownRemote()
                : target().socket().getRemoteSocketAddress();
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        return target() instanceof TimedDatagramChannel ours
                ? ours.knownLocal()
                : target().socket().getLocalSocketAddress();
    }

    // ---- datagrams

    @Override
    public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
        try {
            return decideBound(null).receive(into);
        } finally {
            closeWithTarget();
        }
    }

    @Override
    @Nullable
    SocketAddress receive(ByteBuffer into, Duration patience) throws IOException {
        try {
            DatagramChannel channel = decideBound(null);
            if (channel instanceof RdmaDatagramChannel own) {
                return own.receive(into, patience);
            }
            DatagramPacket packet = new DatagramPacket(new byte[into.remaining()], into.remaining());
            channel.socket().setSoTimeout(ChannelSocket.millis(patience));
            channel.socket().receive(packet);
            into.put(packet.getData(), packet.getOffset(), packet.getLength());
            return packet.getSocketAddress();
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public int send(ByteBuffer from, SocketAddress to) throws IOException {
        try {
            return decideTowards(to).send(from, to);
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        try {
            DatagramChannel from = target();
            return from.equals(rdma) ? from.read(into) : BlockingLock.call(this, () -> from.read(into));
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        try {
            return target().read(into, offset, length);
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        try {
            return target().write(from);
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        try {
            return target().write(from, offset, length);
        } finally {
            closeWithTarget();
        }
    }

    // ---- groups

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on) throws IOException {
        Objects.requireNonNull(on, "on"); // what else is found depends on the host's interfaces
        return membership(decideBound(null).join(group, on));
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on, InetAddress source) throws IOException {
        Objects.requireNonNull(on, "on");
        return membership(decideBound(null).join(group, on, source));
    }

    private MembershipKey membership(MembershipKey of) {
        memberships.keySet().removeIf(known -> !known.isValid());
        return memberships.computeIfAbsent(of, key -> new RoutedMembership(this, key));
    }

    // ---- the end, and what selectors and programs ask

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        rdma.close();
        DatagramChannel known;
        synchronized (set) {
            known = decided;
        }
        if (known != null) {
            known.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        if (target() instanceof RdmaDatagramChannel own) {
            own.configureBlocking(block);
        } else {
            rdma.readiness().forgetCancelled();
            target().configureBlocking(block);
        }
    }

    @Override
    public Readiness readiness() {
        return rdma.readiness();
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (set) {
            target().setOption(name, value);
            set.keep(Objects.requireNonNull(name, "name"), value);
        }
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> name) throws IOException {
        return target().getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return target().supportedOptions();
    }

    @Override
    public String toString() {
        return target().toString();
    }

    /** A group that a channel has joined through the channel beneath. Any thread. */
    private static final class RoutedMembership extends MembershipKey {
        private final MulticastChannel channel;
        private final MembershipKey beneath;

        /** @param channel the program's channel */
        RoutedMembership(MulticastChannel channel, MembershipKey beneath) {
            this.channel = channel;
            this.beneath = beneath;
        }

        @Override
        public MulticastChannel channel() {
            return channel;
        }

        @Override
        public boolean isValid() {
            return beneath.isValid();
        }

        @Override
        public void drop() {
            beneath.drop();
        }

        @Override
        public MembershipKey block(InetAddress source) throws IOException {
            beneath.block(source);
            return this;
        }

        @Override
        public MembershipKey unblock(InetAddress source) {
            beneath.unblock(source);
            return this;
        }

        @Override
        public InetAddress group() {
            return beneath.group();
        }

        @Override
        public NetworkInterface networkInterface() {
            return beneath.networkInterface();
        }

        @Override
        public @Nullable InetAddress sourceAddress() {
            return beneath.sourceAddress();
        }

        @Override
        public String toString() {
            return beneath.toString();
        }
    }
}
