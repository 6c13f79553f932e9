package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.datagram.DatagramEnd;
import dev.jwarp.sockets.datagram.DatagramHome;
import dev.jwarp.sockets.datagram.DatagramMode;
import dev.jwarp.sockets.stream.SocketFault;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A DatagramChannel whose datagrams are messages of datagram-iWARP, or plain UDP for peers that use UDP. One thread at
 * a time receives, and one sends; other threads wait for their turn.
 */
final class RdmaDatagramChannel extends TimedDatagramChannel {
    private static final Duration SPIN = Duration.ofMillis(1);

    private final SocketContext sockets;
    private final DatagramHome home;
    private final SelectorProvider jdk;
    private final @Nullable ProtocolFamily family;
    /** The protocols that a destination may use. */
    private final Function<InetSocketAddress, DatagramMode> modes;

    private final Readiness readiness;
    private final StreamOptions options = new StreamOptions(JdkOptions.OF_DATAGRAMS);
    private final ReentrantLock readLock;
    private final ReentrantLock writeLock;
    /** Arrays of one element, for calls with one buffer. The read lock guards this one, the write lock the next one. */
    private final ByteBuffer[] into = new ByteBuffer[1];

    private final ByteBuffer[] from = new ByteBuffer[1];

    /** Guards what follows. */
    private final Object state = new Object();

    private volatile @Nullable DatagramEnd datagrams;
    private volatile @Nullable InetSocketAddress peer;
    private final Map<InetAddress, Membership> groups = new ConcurrentHashMap<>();

    /**
     * Made without a bind.
     *
     * @param jdk opens channels of UDP
     * @param sockets a context with datagrams
     * @param family of its addresses; null for any
     * @param modes the protocols that a destination may use
     * @param lock the {@link #blockingLock} of the channel that the program has
     */
    RdmaDatagramChannel(
            SelectorProvider provider,
            SelectorProvider jdk,
            SocketContext sockets,
            @Nullable ProtocolFamily family,
            Function<InetSocketAddress, DatagramMode> modes,
            Object lock) {
        super(provider);
        this.jdk = jdk;
        this.sockets = sockets;
        home = Objects.requireNonNull(sockets.datagrams());
        this.family = family;
        this.modes = modes;
        readLock = new BlockingLock.Turns(lock);
        writeLock = new BlockingLock.Turns(lock);
        readiness = new Readiness(sockets, lock);
        readiness.set(SelectionKey.OP_WRITE); // a first send binds the channel
    }

    StreamOptions options() {
        return options;
    }

    // ---- addresses

    @Override
    public DatagramChannel bind(@Nullable SocketAddress local) throws IOException {
        synchronized (state) {
            checkOpen();
            if (datagrams != null) {
                throw new AlreadyBoundException();
            }
            bindTo(local == null ? new InetSocketAddress(0) : checked(local));
        }
        return this;
    }

    private InetSocketAddress checked(SocketAddress address) {
        return HostAddresses.checked(address, family);
    }

    private DatagramEnd bindTo(InetSocketAddress local) throws IOException {
        InetSocketAddress here = HostAddresses.wildcard(local, family);
        if (here.getPort() != 0 && !options.reuse()) {
            checkFree(here);
        }
        DatagramEnd bound =
                new DatagramEnd(home, readiness::set, modes, here, options.receiveBytes(), options.sendBytes());
        try {
            options.sendToGroups(bound);
        } catch (Throwable e) {
            bound.close();
            throw e;
        }
        datagrams = bound;
        return bound;
    }

    /** Asks the system for the port before a queue pair is made for it: a program may try thousands of ports until one is free. */
    private void checkFree(InetSocketAddress here) throws IOException {
        boolean six = here.getAddress() instanceof Inet6Address;
        try (DatagramChannel port =
                jdk.openDatagramChannel(six ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
            port.bind(here);
        }
    }

    /** {@return it, bound} */
    private DatagramEnd bound() throws IOException {
        DatagramEnd there = datagrams;
        if (there != null) {
            return there;
        }
        synchronized (state) {
            checkOpen();
            DatagramEnd now = datagrams;
            return now == null ? bindTo(new InetSocketAddress(0)) : now;
        }
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        InetSocketAddress to = HostAddresses.specific(checked(remote));
        synchronized (state) {
            checkOpen();
            if (peer != null) {
                throw new AlreadyConnectedException();
            }
            if (to.getPort() == 0) {
                throw new SocketException("Can't connect to port 0");
            }
            DatagramEnd there = datagrams;
            if (there == null) {
                there = bindTo(new InetSocketAddress(HostAddresses.towards(to, jdk), 0));
            }
            there.connect(to);
            peer = to;
        }
        return this;
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        synchronized (state) {
            DatagramEnd there = datagrams;
            if (isOpen() && there != null && peer != null) {
                there.connect(null);
            }
            peer = null;
        }
        return this;
    }

    @Override
    public boolean isConnected() {
        return peer != null && isOpen();
    }

    @Override
    @Nullable
    SocketAddress knownRemote() {
        return peer;
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        DatagramEnd there = datagrams;
        return there == null ? null : there.localAddress();
    }

    private InetSocketAddress checkConnected() throws ClosedChannelException {
        checkOpen();
        InetSocketAddress to = peer;
        if (to == null) {
            throw new NotYetConnectedException();
        }
        return to;
    }

    // ---- receiving

    @Override
    public @Nullable SocketAddress receive(ByteBuffer buffer) throws IOException {
        return receive(buffer, SocketContext.FOR_EVER, isBlocking());
    }

    @Override
    @Nullable
    SocketAddress receive(ByteBuffer buffer, Duration patience) throws IOException {
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        return receive(buffer, patience, true);
    }

    private @Nullable SocketAddress receive(ByteBuffer buffer, Duration patience, boolean blocking) throws IOException {
        readLock.lock();
        try {
            into[0] = writable(buffer);
            DatagramEnd there = bound();
            return take(there, into, 0, 1, patience, blocking) < 0 ? null : there.sender();
        } finally {
            into[0] = NOTHING;
            readLock.unlock();
        }
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static ByteBuffer writable(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("what is received needs a buffer that can be written");
        }
        return buffer;
    }

    /** {@return bytes of a datagram; -1 if none arrived or the channel is closed} */
    private int take(DatagramEnd there, ByteBuffer[] buffers, int first, int count, Duration patience, boolean blocking)
            throws IOException {
        checkOpen();
        if (blocking) {
            checkInterrupt();
        }
        int taken = there.receive(buffers, first, count);
        if (taken >= 0) {
            return taken;
        }
        if (!blocking) {
            sockets.poll();
            return there.receive(buffers, first, count);
        }
        boolean timed = !patience.equals(SocketContext.FOR_EVER);
        long deadline = timed ? System.nanoTime() + patience.toNanos() : Long.MAX_VALUE;
        Duration left = patience;
        boolean late = false;
        try {
            begin();
            while (isOpen() && taken < 0 && !late) {
                readiness.awaitInput(left);
                taken = there.receive(buffers, first, count);
                if (closedByInterrupt()) {
                    break;
                }
                if (timed) {
                    left = Duration.ofNanos(deadline - System.nanoTime());
                    late = taken < 0 && left.isNegative();
                }
            }
        } finally {
            end(taken >= 0 || late);
        }
        if (late) {
            throw SocketFault.RECEIVE_LATE.exception("nothing came within " + patience.toMillis() + " ms");
        }
        return taken;
    }

    /** Closes the channel if the thread is interrupted already, even if the call would not wait. */
    private void checkInterrupt() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            try {
                begin();
            } finally {
                end(false);
            }
        }
    }

    /** {@return whether an interrupt of the thread has closed the channel} What drives the context takes the hook of {@link #begin} away. */
    private boolean closedByInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            begin();
            return true;
        }
        return false;
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        readLock.lock();
        try {
            into[0] = writable(buffer);
            return taken(into, 0, 1);
        } finally {
            into[0] = NOTHING;
            readLock.unlock();
        }
    }

    private int taken(ByteBuffer[] buffers, int first, int count) throws IOException {
        checkConnected();
        return Math.max(0, take(bound(), buffers, first, count, SocketContext.FOR_EVER, isBlocking()));
    }

    @Override
    public long read(ByteBuffer[] buffers, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, buffers.length);
        for (int i = offset; i < offset + length; i++) {
            writable(buffers[i]);
        }
        readLock.lock();
        try {
            return taken(buffers, offset, length);
        } finally {
            readLock.unlock();
        }
    }

    // ---- sending

    @Override
    public int send(ByteBuffer buffer, SocketAddress target) throws IOException {
        InetSocketAddress to = HostAddresses.specific(checked(target));
        Objects.requireNonNull(buffer, "buffer");
        writeLock.lock();
        try {
            checkOpen();
            InetSocketAddress only = peer;
            if (only != null && !only.equals(to)) {
                throw new AlreadyConnectedException();
            }
            if (to.getPort() == 0) {
                throw new SocketException("Can't send to port 0");
            }
            from[0] = buffer;
            return give(from, 0, 1, to);
        } finally {
            from[0] = NOTHING;
            writeLock.unlock();
        }
    }

    /** {@return the number of sent bytes; 0 also if a non-blocking channel has no room} */
    private int give(ByteBuffer[] buffers, int first, int count, InetSocketAddress to) throws IOException {
        DatagramEnd there = bound();
        boolean blocking = isBlocking();
        if (blocking) {
            checkInterrupt();
        }
        int given = there.send(buffers, first, count, to);
        sockets.flush(); // sends it now
        if (given >= 0) {
            return given;
        }
        if (!blocking) {
            return Math.max(0, there.send(buffers, first, count, to));
        }
        try {
            begin();
            while (isOpen() && given < 0) {
                readiness.awaitOutput(SPIN);
                given = there.send(buffers, first, count, to);
                sockets.poll();
                if (closedByInterrupt()) {
                    break;
                }
            }
        } finally {
            end(given >= 0);
        }
        return Math.max(0, given);
    }

    @Override
    public int write(ByteBuffer buffer) throws IOException {
        writeLock.lock();
        try {
            from[0] = Objects.requireNonNull(buffer, "buffer");
            return give(from, 0, 1, checkConnected());
        } finally {
            from[0] = NOTHING;
            writeLock.unlock();
        }
    }

    @Override
    public long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, buffers.length);
        writeLock.lock();
        try {
            return give(buffers, offset, length, checkConnected());
        } finally {
            writeLock.unlock();
        }
    }

    // ---- groups

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on) throws IOException {
        checkOpen();
        if (HostAddresses.isForeign(group, family)) {
            throw new IllegalArgumentException("Only IPv6 sockets can join IPv6 multicast group");
        }
        DatagramEnd there = bound();
        synchronized (state) {
            there.join(group, on);
            return groups.computeIfAbsent(group, joined -> new Membership(joined, on, () -> leave(there, joined)));
        }
    }

    private void leave(DatagramEnd there, InetAddress group) {
        synchronized (state) {
            if (groups.remove(group) != null) {
                there.leave(group);
            }
        }
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on, InetAddress source) {
        throw new UnsupportedOperationException(DatagramEnd.ALL_SOURCES);
    }

    /** A group that was joined. */
    private final class Membership extends MembershipKey {
        private final InetAddress group;
        private final NetworkInterface on;
        private final Runnable leave;

        Membership(InetAddress group, NetworkInterface on, Runnable leave) {
            this.group = group;
            this.on = on;
            this.leave = leave;
        }

        @Override
        public boolean isValid() {
            return isOpen() && groups.containsValue(this);
        }

        @Override
        public void drop() {
            leave.run();
        }

        @Override
        public MembershipKey block(InetAddress source) {
            throw new UnsupportedOperationException(DatagramEnd.ALL_SOURCES);
        }

        @Override
        public MembershipKey unblock(InetAddress source) {
            throw new IllegalStateException(source + " is not blocked");
        }

        @Override
        public MulticastChannel channel() {
            return RdmaDatagramChannel.this;
        }

        @Override
        public InetAddress group() {
            return group;
        }

        @Override
        public NetworkInterface networkInterface() {
            return on;
        }

        @Override
        public @Nullable InetAddress sourceAddress() {
            return null;
        }
    }

    // ---- the end, and what selectors and programs ask

    @Override
    protected void implCloseSelectableChannel() {
        readiness.close();
        DatagramEnd last;
        synchronized (state) {
            last = datagrams;
        }
        if (last != null) {
            last.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {}

    @Override
    public Readiness readiness() {
        return readiness;
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        options.check(name);
        checkOpen();
        synchronized (state) {
            StreamOptions wanted = options.copy();
            wanted.set(name, value);
            DatagramEnd there = datagrams;
            if (there != null && StreamOptions.OF_GROUPS.contains(name)) {
                wanted.sendToGroups(there);
            }
            options.set(name, value);
        }
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> name) throws IOException {
        options.check(name);
        checkOpen();
        return options.tell(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    @Override
    public String toString() {
        DatagramEnd there = datagrams;
        String where = !isOpen() ? "closed" : there == null ? "unbound" : String.valueOf(there.localAddress());
        return "jwarp.DatagramChannel[" + where + (peer == null ? "" : " -> " + peer) + "]";
    }
}
