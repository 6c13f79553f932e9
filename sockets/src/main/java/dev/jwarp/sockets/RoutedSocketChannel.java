package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.connection.SocketSetting;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A SocketChannel over RDMA or TCP, which is decided at the connect. */
final class RoutedSocketChannel extends TimedSocketChannel {
    private static final Logger LOG = LoggerFactory.getLogger(RoutedSocketChannel.class);

    private final SelectorProvider jdk;
    private final SocketRules rules;
    private final SocketContext sockets;
    private final RdmaSocketChannel rdma;
    private final @Nullable ProtocolFamily family;

    private final KeptOptions set = new KeptOptions();

    private volatile @Nullable SocketChannel plain;
    private volatile @Nullable InetSocketAddress peer;
    private volatile boolean mayFallBack;
    /** Whether TCP was chosen because the peer did not answer over RDMA, and no byte has arrived over TCP yet. */
    private volatile boolean guessed;

    /**
     * Made undecided.
     *
     * @param jdk opens a channel of TCP
     * @param family of its addresses; null for any
     */
    RoutedSocketChannel(
            SelectorProvider provider,
            SelectorProvider jdk,
            SocketContext sockets,
            SocketRules rules,
            @Nullable ProtocolFamily family) {
        super(provider);
        this.family = family;
        this.jdk = jdk;
        this.rules = rules;
        this.sockets = sockets;
        rdma = new RdmaSocketChannel(
                provider, sockets, new StreamOptions(JdkOptions.OF_CONNECTIONS), family, blockingLock());
    }

    /**
     * {@return the RDMA channel}
     *
     * @throws UnsupportedOperationException if the stream uses TCP
     */
    RdmaSocketChannel rdma() {
        if (plain != null) {
            throw new UnsupportedOperationException(
                    "a stream over TCP has no messages, and no memory that its peer writes to: " + this);
        }
        return rdma;
    }

    private SocketChannel target() {
        SocketChannel decided = plain;
        return decided == null ? rdma : decided;
    }

    /** Chooses TCP. */
    private SocketChannel bePlain() throws IOException {
        SocketAddress local =
                rdma.isOpen() ? rdma.address().release() : rdma.address().wanted();
        SocketChannel channel =
                set.giveTo(family == null ? jdk.openSocketChannel() : jdk.openSocketChannel(family), isBlocking());
        try {
            if (local != null && !rdma.isOpen()) { // the RDMA connection used the port before
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            if (local != null) {
                channel.bind(local);
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        plain = channel;
        rdma.readiness().bePlain(channel);
        if (!isOpen()) {
            channel.close();
        }
        return channel;
    }

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
        target().bind(local);
        return this;
    }

    @Override
    public boolean connect(SocketAddress to) throws IOException {
        return connect(to, SocketContext.FOR_EVER);
    }

    @Override
    boolean connect(SocketAddress to, Duration patience) throws IOException {
        long begun = System.nanoTime();
        try {
            if (peer == null && plain == null) {
                InetSocketAddress where = HostAddresses.checked(to, family);
                SocketMode mode = rdma.options().mode(() -> rules.toConnect(where));
                rdma.options().check(mode);
                mayFallBack = mode == SocketMode.RDMA_OR_TCP && !sockets.knownForTcp(where);
                if (mayFallBack) {
                    Duration limit = Duration.ofMillis(Long.parseLong(SocketSetting.ANSWER_TIMEOUT.value()));
                    Duration half = patience.dividedBy(2); // the other half is for TCP
                    rdma.options().answeredWithin(limit.compareTo(half) < 0 ? limit : half);
                } else if (mode != SocketMode.RDMA) {
                    bePlain();
                }
                peer = where;
            }
            try {
                return connectTarget(to, patience);
            } catch (ConnectException e) {
                return fallBack(e) && connectTarget(to, patience.minusNanos(System.nanoTime() - begun));
            }
        } finally {
            closeWithTarget();
        }
    }

    private boolean connectTarget(SocketAddress to, Duration patience) throws IOException {
        SocketChannel decided = plain;
        if (decided == null) {
            return rdma.connect(to, patience);
        }
        int millis = ChannelSocket.millis(patience);
        if (!isBlocking() || millis == 0) {
            return decided.connect(to);
        }
        decided.socket().connect(to, millis);
        return true;
    }

    /** Chooses TCP after a failure over RDMA, if the mode allows that. */
    private boolean fallBack(ConnectException why) throws IOException {
        if (!mayFallBack || plain != null || !isOpen()) {
            throw why;
        }
        LOG.info("TCP is used to {}: {}", peer, why.getMessage());
        bePlain();
        guessed = true;
        return true;
    }

    /**
     * {@return the number of bytes} Bytes that arrive over TCP show that the peer uses TCP, so the next connection to
     * it does not try RDMA.
     */
    private long came(long bytes) {
        InetSocketAddress where = peer;
        if (guessed && bytes > 0 && where != null) {
            guessed = false;
            sockets.speaksTcp(where);
        }
        return bytes;
    }

    @Override
    public boolean finishConnect() throws IOException {
        try {
            try {
                return target().finishConnect();
            } catch (ConnectException e) {
                return fallBack(e) && target().connect(Objects.requireNonNull(peer));
            }
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
    public boolean isConnected() {
        return target().isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return target().isConnectionPending();
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        return target().getRemoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return target().getLocalAddress();
    }

    @Override
    @Nullable
    SocketAddress knownRemote() {
        SocketChannel decided = plain;
        return decided == null ? rdma.knownRemote() : decided.socket().getRemoteSocketAddress();
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        SocketChannel decided = plain;
        return decided == null ? rdma.knownLocal() : decided.socket().getLocalSocketAddress();
    }

    // ---- bytes

    @Override
    public int read(ByteBuffer into) throws IOException {
        try {
            SocketChannel decided = plain;
            return (int) came(decided == null ? rdma.read(into) : BlockingLock.call(this, () -> decided.read(into)));
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        try {
            return came(target().read(into, offset, length));
        } finally {
            closeWithTarget();
        }
    }

    @Override
    int read(ByteBuffer into, Duration patience) throws IOException {
        try {
            SocketChannel decided = plain;
            if (decided == null) {
                return rdma.read(into, patience);
            }
            Socket timed = decided.socket(); // a SocketChannel itself has no time-out
            timed.setSoTimeout(ChannelSocket.millis(patience));
            int at = into.position();
            int read = timed.getInputStream().read(into.array(), into.arrayOffset() + at, into.remaining());
            into.position(at + Math.max(0, read));
            return (int) came(read);
        } finally {
            closeWithTarget();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        try {
            SocketChannel decided = plain;
            return decided == null ? rdma.write(from) : BlockingLock.call(this, () -> decided.write(from));
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

    @Override
    int available() throws IOException {
        SocketChannel decided = plain;
        return decided == null
                ? rdma.available()
                : decided.socket().getInputStream().available();
    }

    // ---- end

    @Override
    public SocketChannel shutdownInput() throws IOException {
        target().shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        target().shutdownOutput();
        return this;
    }

    @Override
    boolean inputOpen() {
        SocketChannel decided = plain;
        return decided == null ? rdma.inputOpen() : !decided.socket().isInputShutdown();
    }

    @Override
    boolean outputOpen() {
        SocketChannel decided = plain;
        return decided == null ? rdma.outputOpen() : !decided.socket().isOutputShutdown();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        rdma.close();
        SocketChannel decided = plain;
        if (decided != null) {
            decided.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        SocketChannel decided = plain;
        if (decided == null) {
            rdma.configureBlocking(block);
        } else {
            rdma.readiness().forgetCancelled();
            decided.configureBlocking(block);
        }
    }

    // ---- what selectors and programs ask

    @Override
    public Readiness readiness() {
        return rdma.readiness();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        checkOpen();
        SocketChannel decided = plain;
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
