package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.connection.InputHalf;
import dev.jwarp.sockets.connection.OutputHalf;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamWatcher;
import dev.jwarp.sockets.stream.SocketFault;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A SocketChannel over RDMA. One thread at a time reads, and one writes; other threads wait for their turn. */
final class RdmaSocketChannel extends TimedSocketChannel {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaSocketChannel.class);

    private final SocketContext sockets;
    private final Readiness readiness;
    private final StreamWaits waits;
    private final StreamOptions options;
    private final @Nullable ProtocolFamily family;

    /** The turn to read: one thread reads at a time. The thread keeps the turn while it waits, and does not hold the lock of the connection then. */
    private final ReentrantLock readLock;

    /** The turn to write: one thread writes at a time. A blocking write takes this lock once, and the lock of the connection once for each piece. */
    private final ReentrantLock writeLock;

    private final HeldAddress address = new HeldAddress();
    /** Guards the set-up of a connection. */
    private final Object state = new Object();

    private volatile @Nullable StreamConnection connection;
    private volatile boolean connected;
    private volatile boolean inputOpen = true;
    private volatile boolean outputOpen = true;

    /**
     * Made neither bound nor connected.
     *
     * @param family of its addresses; null for any
     * @param lock the {@link #blockingLock} of the program's channel; null if this is the program's channel
     */
    RdmaSocketChannel(
            SelectorProvider provider,
            SocketContext sockets,
            StreamOptions options,
            @Nullable ProtocolFamily family,
            @Nullable Object lock) {
        super(provider);
        this.sockets = sockets;
        this.options = options;
        this.family = family;
        Object blocking = lock == null ? blockingLock() : lock;
        readLock = new BlockingLock.Turns(blocking);
        writeLock = new BlockingLock.Turns(blocking);
        readiness = new Readiness(sockets, blocking);
        waits = new StreamWaits(readiness, () -> isOpen() && !closedByInterrupt());
    }

    /** {@return this channel, with an accepted connection} */
    RdmaSocketChannel of(StreamConnection accepted) {
        connection = accepted;
        connected = true;
        accepted.attach(readiness);
        return this;
    }

    // ---- set-up

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
        synchronized (state) {
            checkOpen();
            if (connection != null && !connected) {
                throw new ConnectionPendingException();
            }
            if (connection != null || address.bound() != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress where = local == null ? new InetSocketAddress(0) : HostAddresses.checked(local, family);
            address.hold(where, family, options.reuse());
        }
        return this;
    }

    /** {@return the reserved local address before the connection} */
    HeldAddress address() {
        return address;
    }

    @Override
    public boolean connect(SocketAddress peer) throws IOException {
        return connect(peer, SocketContext.FOR_EVER);
    }

    @Override
    boolean connect(SocketAddress peer, Duration patience) throws IOException {
        return establish(HostAddresses.specific(HostAddresses.checked(peer, family)), patience);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return establish(null, SocketContext.FOR_EVER);
    }

    /** Connects to {@code to}, or continues the pending connection if {@code to} is null. */
    private boolean establish(@Nullable InetSocketAddress to, Duration patience) throws IOException {
        readLock.lock();
        try {
            return establishAsReader(to, patience);
        } catch (IOException e) {
            close(); // required by the contract; without the turn to write, because a close may linger
            throw e;
        } finally {
            readLock.unlock();
        }
    }

    private boolean establishAsReader(@Nullable InetSocketAddress to, Duration patience) throws IOException {
        writeLock.lock();
        try {
            checkOpen();
            if (to == null && connected) {
                return true;
            }
            if (to == null && connection == null) {
                throw new NoConnectionPendingException();
            }
            boolean blocking = isBlocking();
            boolean done = false;
            try {
                if (blocking) {
                    begin();
                }
                if (to != null) {
                    begin(to);
                }
                done = finish(blocking, patience);
            } finally {
                if (blocking) {
                    end(done);
                }
            }
            return done;
        } finally {
            writeLock.unlock();
        }
    }

    private void begin(InetSocketAddress to) throws IOException {
        synchronized (state) {
            checkOpen();
            if (connected) {
                throw new AlreadyConnectedException();
            }
            if (connection != null) {
                throw new ConnectionPendingException();
            }
            InetSocketAddress from = HostAddresses.source(address.release(), to);
            StreamConnection begun = StreamConnection.connect(sockets, readiness, from, to, options.settings());
            begun.output().combine(options.combine());
            connection = begun;
        }
    }

    /**
     * Waits for the outcome of the connect if the channel blocks.
     *
     * @return whether the channel is connected
     */
    private boolean finish(boolean blocking, Duration patience) throws IOException {
        StreamConnection pending = Objects.requireNonNull(connection);
        if (!blocking) {
            sockets.poll();
        } else if (!waits.established(pending, patience)) {
            return false;
        }
        connected = isOpen() && pending.take();
        return connected;
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
    public boolean isConnected() {
        return connected && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        return connection != null && !connected && isOpen();
    }

    @Override
    @Nullable
    SocketAddress knownRemote() {
        StreamConnection current = connection;
        return current == null || !connected ? null : current.remoteAddress();
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        StreamConnection current = connection;
        return current == null ? address.bound() : current.localAddress();
    }

    private StreamConnection checkConnected() throws ClosedChannelException {
        checkOpen();
        StreamConnection current = connection;
        if (current == null || !connected) {
            throw new NotYetConnectedException();
        }
        return current;
    }

    // ---- bytes

    @Override
    public int read(ByteBuffer into) throws IOException {
        checkWritable(Objects.requireNonNull(into, "into"));
        return read(into, SocketContext.FOR_EVER, false);
    }

    @Override
    int read(ByteBuffer into, Duration patience) throws IOException {
        return read(into, patience, true);
    }

    /** @param timed whether the channel must block */
    private int read(ByteBuffer into, Duration patience, boolean timed) throws IOException {
        readLock.lock();
        try {
            boolean blocking = isBlocking(); // read during the turn, because another thread may change the mode before
            if (timed && !blocking) {
                throw new IllegalBlockingModeException();
            }
            StreamConnection from = checkConnected();
            int read = 0;
            boolean late = false;
            try {
                if (blocking) {
                    begin();
                    read = waits.read(from, into, patience);
                    late = read == 0 && into.hasRemaining() && isOpen();
                    read += waits.restOfMessage(from, into, read, patience);
                } else {
                    read = from.input().read(into);
                    if (read == 0 && into.hasRemaining()) {
                        sockets.poll();
                        read = from.input().read(into);
                    }
                }
            } finally {
                if (blocking) {
                    end(read != 0 || late || !into.hasRemaining());
                }
            }
            giveRoom(from);
            if (late) {
                throw SocketFault.READ_LATE.exception("nothing came within " + patience.toMillis() + " ms");
            }
            return inputOpen ? read : -1;
        } finally {
            readLock.unlock();
        }
    }

    /**
     * Sends credits that a read has released for the peer. If the peer still has room, they are sent with the program's
     * next call, such as an answer; driving the context sends them in any case. Otherwise they are sent now.
     */
    private void giveRoom(StreamConnection from) {
        int can = readiness.bits();
        boolean left = (can & SelectionKey.OP_READ) != 0 && (can & StreamWatcher.ENDED) == 0;
        if (left || !from.input().peerHasRoom()) {
            sendPosted(from);
        }
    }

    /** Sends posted data now, because the program's next call may be late. */
    private void sendPosted(StreamConnection of) {
        if (of.output().posted()) {
            sockets.flush();
        }
    }

    boolean messageEnded() throws IOException {
        return !checkConnected().input().insideMessage();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        readLock.lock();
        try {
            for (int i = offset; i < offset + length; i++) {
                checkWritable(into[i]);
            }
            InputHalf input = checkConnected().input();
            long sum = 0;
            for (int i = offset; i < offset + length; i++) {
                if (!into[i].hasRemaining()) {
                    continue;
                }
                int read = sum == 0 ? read(into[i]) : readMore(input, into[i]);
                if (read < 0 && sum == 0) {
                    return read;
                }
                sum += Math.max(read, 0);
                if (into[i].hasRemaining()) {
                    break;
                }
            }
            return sum;
        } finally {
            readLock.unlock();
        }
    }

    /** Reads further bytes without waiting, or the rest of a message. A failure is left for the next read. */
    private int readMore(InputHalf input, ByteBuffer into) throws ClosedChannelException {
        try {
            if (input.messages()) {
                return input.insideMessage() ? read(into) : 0;
            }
            return input.available() > 0 ? input.read(into) : 0;
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            return 0;
        }
    }

    private static void checkWritable(ByteBuffer into) {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("a read-only buffer cannot be read into");
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        Objects.requireNonNull(from, "from");
        return write(from, false, 0);
    }

    /** Writes to the stream, or to memory that the peer has shared. */
    private int write(ByteBuffer from, boolean toMemory, long offset) throws IOException {
        writeLock.lock();
        try {
            StreamConnection to = checkOutput();
            boolean blocking = isBlocking();
            int before = from.position();
            try {
                if (blocking) {
                    begin();
                }
                if (blocking && !toMemory) {
                    waits.write(to, from);
                } else {
                    put(to, from, toMemory, offset);
                    if (!blocking && from.hasRemaining() && from.position() == before) {
                        sockets.poll();
                        put(to, from, toMemory, offset);
                    }
                    while (blocking && from.hasRemaining() && waits.awaitOutput()) {
                        put(to, from, true, offset + (from.position() - before));
                    }
                }
            } finally {
                if (blocking) {
                    end(from.position() > before || !from.hasRemaining());
                }
            }
            sendPosted(to);
            return from.position() - before;
        } finally {
            writeLock.unlock();
        }
    }

    private static void put(StreamConnection to, ByteBuffer from, boolean toMemory, long offset) throws IOException {
        if (toMemory) {
            to.output().writeAt(offset, from);
        } else {
            to.output().write(from, false);
        }
    }

    // ---- shared memory

    /** Lets the peer write to memory of the program. */
    SharedMemory share(ByteBuffer memory, long offset) throws IOException {
        writeLock.lock();
        try {
            StreamConnection to = checkOutput();
            OutputHalf.Range range = to.output().share(memory, offset);
            try {
                tell(to, range, true);
            } catch (IOException | RuntimeException e) {
                to.output().free(range);
                throw e;
            }
            return () -> shareNoMore(to, range);
        } finally {
            writeLock.unlock();
        }
    }

    private void shareNoMore(StreamConnection to, OutputHalf.Range range) {
        writeLock.lock();
        try {
            if (isOpen() && outputOpen) {
                tell(to, range, false);
            }
        } catch (IOException e) {
            LOG.debug("{} could not be notified that the memory is not shared any more", to.remoteAddress(), e);
        } finally {
            writeLock.unlock();
            to.output().free(range);
        }
    }

    private void tell(StreamConnection to, OutputHalf.Range range, boolean there) throws IOException {
        boolean told = false;
        try {
            begin();
            do {
                told = to.output().tell(range, there);
            } while (!told && waits.awaitOutput());
        } finally {
            end(told);
        }
        sendPosted(to);
    }

    /** Writes to memory that the peer has shared. */
    int write(long offset, ByteBuffer from) throws IOException {
        return write(from, true, offset);
    }

    private StreamConnection checkOutput() throws ClosedChannelException {
        StreamConnection to = checkConnected();
        if (!outputOpen) {
            throw new ClosedChannelException();
        }
        return to;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        writeLock.lock();
        try {
            StreamConnection to = checkOutput();
            long all = 0;
            for (int i = offset; i < offset + length; i++) {
                all += from[i].remaining();
            }
            long sum = 0;
            try {
                to.output().begin(all);
                for (int i = offset; i < offset + length; i++) {
                    if (from[i].hasRemaining()) {
                        sum += write(from[i]);
                        if (from[i].hasRemaining()) {
                            break;
                        }
                    }
                }
            } finally {
                to.output().begin(0);
            }
            return sum;
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    int available() throws IOException {
        return inputOpen ? checkConnected().input().available() : 0;
    }

    // ---- shutdown and close

    @Override
    public SocketChannel shutdownInput() throws IOException {
        StreamConnection current = checkConnected();
        inputOpen = false;
        current.input().shutdown();
        return this;
    }

    @Override
    boolean inputOpen() {
        return inputOpen;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        StreamConnection current = checkConnected();
        outputOpen = false;
        current.output().shutdown();
        sendPosted(current);
        return this;
    }

    @Override
    boolean outputOpen() {
        return outputOpen;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        StreamConnection last;
        synchronized (state) {
            last = connection;
            address.release();
        }
        readiness.close();
        if (last != null) {
            int linger = options.linger();
            sockets.close(last, linger == 0 || isBlocking() ? linger : -1);
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {}

    // ---- what selectors and programs ask

    @Override
    public Readiness readiness() {
        return readiness;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        options.check(name);
        checkOpen();
        options.set(name, value);
        StreamConnection current = connection;
        if (name == StandardSocketOptions.TCP_NODELAY && current != null) {
            current.output().combine(options.combine());
            sendPosted(current);
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

    StreamOptions options() {
        return options;
    }

    @Override
    public String toString() {
        StreamConnection current = connection;
        String where = "closed";
        if (isOpen()) {
            where = connected ? "connected " : current == null ? "unconnected" : "connection-pending ";
            where += current == null ? "" : current.localAddress() + " -> " + current.remoteAddress();
        }
        return "jwarp.SocketChannel[" + where + "]";
    }
}
