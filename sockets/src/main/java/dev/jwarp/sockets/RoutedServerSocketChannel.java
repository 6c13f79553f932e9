package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A ServerSocketChannel over RDMA or TCP, which is decided at the bind. */
final class RoutedServerSocketChannel extends TimedServerSocketChannel {
    private final SelectorProvider jdk;
    private final SocketRules rules;
    private final RdmaServerSocketChannel rdma;
    private final @Nullable ProtocolFamily family;

    private final KeptOptions set = new KeptOptions();

    private volatile @Nullable ServerSocketChannel plain;

    /**
     * Made undecided.
     *
     * @param jdk opens a channel of TCP
     * @param family of its addresses; null for any
     */
    RoutedServerSocketChannel(
            SelectorProvider provider,
            SelectorProvider jdk,
            SocketContext sockets,
            SocketRules rules,
            @Nullable ProtocolFamily family) {
        super(provider);
        this.family = family;
        this.jdk = jdk;
        this.rules = rules;
        rdma = new RdmaServerSocketChannel(provider, sockets, family);
    }

    private ServerSocketChannel target() {
        ServerSocketChannel decided = plain;
        return decided == null ? rdma : decided;
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
        checkOpen();
        if (plain == null && rdma.getLocalAddress() == null) {
            InetSocketAddress where = local == null ? new InetSocketAddress(0) : HostAddresses.checked(local, family);
            boolean plainly = rdma.options().mode(() -> rules.toListen(where)) == SocketMode.TCP;
            rdma.options().check(plainly ? SocketMode.TCP : SocketMode.RDMA);
            if (plainly) {
                bePlain();
            }
        }
        target().bind(local, backlog);
        return this;
    }

    private void bePlain() throws IOException {
        ServerSocketChannel channel = set.giveTo(
                family == null ? jdk.openServerSocketChannel() : jdk.openServerSocketChannel(family), isBlocking());
        plain = channel;
        rdma.readiness().bePlain(channel);
        if (!isOpen()) {
            channel.close();
        }
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        try {
            return target().accept();
        } finally {
            closeWithTarget();
        }
    }

    @Override
    SocketChannel accept(Duration patience) throws IOException {
        try {
            ServerSocketChannel decided = plain;
            if (decided == null) {
                return rdma.accept(patience);
            }
            decided.socket().setSoTimeout(ChannelSocket.millis(patience));
            return decided.socket().accept().getChannel();
        } finally {
            closeWithTarget();
        }
    }

    /** Closes this channel if the channel beneath was closed, for example by an interrupt of another thread. */
    private void closeWithTarget() throws IOException {
        if (!target().isOpen()) {
            close();
        }
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return target().getLocalAddress();
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        ServerSocketChannel decided = plain;
        return decided == null ? rdma.knownLocal() : decided.socket().getLocalSocketAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        rdma.close();
        ServerSocketChannel decided = plain;
        if (decided != null) {
            decided.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        ServerSocketChannel decided = plain;
        if (decided == null) {
            rdma.configureBlocking(block);
        } else {
            rdma.readiness().forgetCancelled();
            decided.configureBlocking(block);
        }
    }

    @Override
    public Readiness readiness() {
        return rdma.readiness();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        checkOpen();
        ServerSocketChannel decided = plain;
        if (decided != null) {
            decided.setOption(name, value);
        } else {
            rdma.setOption(name, value);
            set.keep(name, value);
        }
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> name) throws IOException {
        checkOpen();
        return target().getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        Set<SocketOption<?>> options = new HashSet<>(target().supportedOptions());
        options.add(JwarpSocketOptions.MODE);
        return options;
    }

    @Override
    public String toString() {
        return target().toString();
    }
}
