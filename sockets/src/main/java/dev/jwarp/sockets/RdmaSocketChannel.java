package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.connection.LentMemory.Lent;
import dev.jwarp.sockets.connection.OutputHalf;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.connection.StreamWatcher;
import dev.jwarp.sockets.stream.SocketFault;
import dev.jwarp.verbs.ProgressCondition;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
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
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A SocketChannel whose bytes go over RDMA. One thread at a time reads, and one writes; others wait for their turn. */
final class RdmaSocketChannel extends TimedSocketChannel implements SelectableStream {
    /** Where bytes go: to the stream, or to memory that the peer has told of. */
    @FunctionalInterface
    private interface Sink {
        /** Takes as many as go now; the position moves by that. Returns whether bytes are borrowed then. */
        boolean take(StreamConnection to, long offset, ByteBuffer from) throws IOException;
    }

    private static final Sink STREAM = (to, offset, from) -> {
        to.output().write(from);
        return false;
    };
    /** The same, of one that waits until they are sent, if need be. */
    private static final Sink IN_PLACE = (to, offset, from) -> to.output().writeInPlace(from);

    private static final Sink MEMORY = (to, offset, from) -> {
        to.output().writeAt(offset, from);
        return false;
    };

    /** Two ends that write, and do not read, are told so after a time between this and twice of it, in which nothing moves. */
    private static final Duration BOTH_WRITE = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(RdmaSocketChannel.class);

    private final SocketContext sockets;
    private final Readiness readiness;
    private final StreamOptions options;
    private final @Nullable ProtocolFamily family;
    /** How long the peer may take to answer; null: as long as any. */
    private volatile @Nullable Duration answer;

    /** The turn to read: one thread reads at a time, also while it waits, where the lock of the stream is not held. */
    private final ReentrantLock readLock;

    /** The turn to write, likewise. A blocking write takes this and, for each piece that goes, the lock of the stream once. */
    private final ReentrantLock writeLock;

    /** Guards what follows. */
    private final Object state = new Object();

    private @Nullable InetSocketAddress bound;
    /** The address that the program passed to {@code bind}. */
    private @Nullable InetSocketAddress wanted;
    /** A JDK channel that is bound to the address until the connection uses it. No other program can bind the address meanwhile. */
    private @Nullable SocketChannel place;

    private volatile @Nullable StreamConnection connection;
    private volatile boolean connected;
    private volatile boolean inputOpen = true;
    private volatile boolean outputOpen = true;

    private RdmaSocketChannel(
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
        readiness = new Readiness(sockets.driven(), blocking);
    }

    /**
     * Neither bound nor connected.
     *
     * @param family of its addresses; null: any
     * @param lock the {@link #blockingLock} of the channel that the program has
     */
    RdmaSocketChannel(SelectorProvider provider, SocketContext sockets, @Nullable ProtocolFamily family, Object lock) {
        this(provider, sockets, new StreamOptions(JdkOptions.OF_CONNECTIONS), family, lock);
    }

    /** Of a connection that a peer asked for. */
    RdmaSocketChannel(
            SelectorProvider provider, SocketContext sockets, StreamOptions options, StreamConnection accepted) {
        this(provider, sockets, options, null, null);
        connection = accepted;
        connected = true;
        accepted.attach(readiness);
    }

    // ---- the way to a connection

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
        synchronized (state) {
            checkOpen();
            if (connection != null && !connected) {
                throw new ConnectionPendingException();
            }
            if (connection != null || bound != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress where = local == null ? new InetSocketAddress(0) : checked(local, family);
            SelectorProvider jdk = JdkProvider.get();
            SocketChannel held = family == null ? jdk.openSocketChannel() : jdk.openSocketChannel(family);
            try {
                held.setOption(StandardSocketOptions.SO_REUSEADDR, options.reuse());
                held.bind(where);
                wanted = where;
                bound = (InetSocketAddress) held.getLocalAddress();
                place = held;
            } finally {
                if (bound == null) {
                    held.close();
                }
            }
        }
        return this;
    }

    /** {@return where the program has bound it; null: nowhere} Another socket can be bound there from now on. */
    @Nullable
    InetSocketAddress leavePlace() throws IOException {
        synchronized (state) {
            SocketChannel held = place;
            place = null;
            if (held != null) {
                held.close();
            }
            return bound;
        }
    }

    /** {@return where the program wants to be, port 0 for any; null: it has not said} */
    @Nullable
    InetSocketAddress wanted() {
        synchronized (state) {
            return wanted;
        }
    }

    /** {@return an address of the Internet, which a channel of that family takes; null: of any} */
    static InetSocketAddress checked(SocketAddress address, @Nullable ProtocolFamily family) {
        if (!(Objects.requireNonNull(address, "address") instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (isForeign(internet.getAddress(), family)) {
            throw new UnsupportedAddressTypeException();
        }
        return internet;
    }

    /** {@return whether it is an address of IPv6, and the family that of IPv4} */
    static boolean isForeign(InetAddress address, @Nullable ProtocolFamily family) {
        return family == StandardProtocolFamily.INET && address instanceof Inet6Address;
    }

    @Override
    public boolean connect(SocketAddress peer) throws IOException {
        return connect(peer, SocketContext.FOR_EVER);
    }

    @Override
    boolean connect(SocketAddress peer, Duration patience) throws IOException {
        return establish(HostAddresses.specific(checked(peer, family)), patience);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return establish(null, SocketContext.FOR_EVER);
    }

    /** Connects to that, or, if there is none, goes on with what has begun. */
    private boolean establish(@Nullable InetSocketAddress to, Duration patience) throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                if (to == null && isDone()) {
                    return true;
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
        } catch (IOException e) {
            close(); // as the contract says
            throw e;
        } finally {
            readLock.unlock();
        }
    }

    /** {@return whether what has begun is done already} */
    private boolean isDone() throws IOException {
        checkOpen();
        if (!connected && connection == null) {
            throw new NoConnectionPendingException();
        }
        return connected;
    }

    /** The peer has that time to answer. Before it is connected. */
    void answeredWithin(Duration limit) {
        answer = limit;
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
            Duration limit = answer;
            StreamSetUp setUp =
                    limit == null ? options.settings() : options.settings().answeredWithin(limit);
            StreamConnection begun =
                    StreamConnection.connect(sockets, readiness, HostAddresses.source(leavePlace(), to), to, setUp);
            begun.output().combine(options.combine());
            connection = begun;
        }
    }

    /** Takes the outcome of connecting, or waits for it. Returns false if it is not there. */
    private boolean finish(boolean blocking, Duration patience) throws IOException {
        StreamConnection pending = Objects.requireNonNull(connection);
        if (!blocking) {
            sockets.poll();
        } else if (!pending.established()) {
            long deadline = System.nanoTime() + patience.toNanos();
            long left = patience.toNanos();
            while (isOpen() && !pending.established()) {
                if (left <= 0) {
                    throw SocketFault.CONNECT_LATE.exception(
                            pending.remoteAddress() + " was not connected within " + patience.toMillis() + " ms");
                }
                readiness.awaitOutput(Duration.ofNanos(left));
                if (closedByInterrupt()) {
                    return false;
                }
                left = deadline - System.nanoTime();
            }
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
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        return knownRemote();
    }

    @Override
    @Nullable
    SocketAddress knownRemote() {
        StreamConnection current = connection;
        return current == null || !connected ? null : current.remoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return knownLocal();
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        StreamConnection current = connection;
        return current == null ? bound : current.localAddress();
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
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
        Objects.requireNonNull(into, "into");
        checkWritable(into);
        readLock.lock();
        try {
            StreamConnection from = checkConnected();
            boolean blocking = isBlocking();
            int read = 0;
            try {
                if (blocking) {
                    begin();
                }
                read = blocking && from.lent().wouldLend(into)
                        ? readInPlace(from, into)
                        : from.input().read(into);
                if (read == 0 && into.hasRemaining()) {
                    if (blocking) {
                        read = await(from, into, SocketContext.FOR_EVER);
                    } else {
                        sockets.poll();
                        read = from.input().read(into);
                    }
                }
                read += blocking ? restOfMessage(from, into, read, SocketContext.FOR_EVER) : 0;
            } finally {
                if (blocking) {
                    end(read != 0 || !into.hasRemaining());
                }
            }
            giveRoom(from);
            return inputOpen ? read : -1;
        } finally {
            readLock.unlock();
        }
    }

    /** Reads; what the peer can move to where the program wants it is waited for. */
    private int readInPlace(StreamConnection from, ByteBuffer into) throws IOException {
        int before = into.position();
        int read;
        try {
            read = from.lent().readOrLend(into);
        } catch (IOException | RuntimeException e) {
            takeBack(from, Lent.INPUT, into);
            throw e;
        }
        if (!from.lent().lent(Lent.INPUT)) {
            return read;
        }
        awaitBack(from, Lent.INPUT, into);
        return into.position() - before;
    }

    /** Waits until the program has back what it has lent. */
    private void awaitBack(StreamConnection of, Lent which, ByteBuffer data) throws IOException {
        boolean back = of.lent().takeBack(which, data, false);
        long stuckAt = -1;
        boolean stuck = false;
        Duration patience = of.lent().tellsOfBothWrite() ? BOTH_WRITE : SocketContext.FOR_EVER;
        while (!back && !stuck && isOpen() && !closedByInterrupt()) {
            if (which == Lent.INPUT) {
                readiness.awaitInput(SocketContext.FOR_EVER);
            } else {
                readiness.awaitOutput(patience);
                long at = of.lent().bothWriteAt();
                stuck = at >= 0 && at == stuckAt;
                stuckAt = at;
            }
            back = of.lent().takeBack(which, data, false);
        }
        if (!back && stuck) {
            String why = "both ends write, and neither reads: " + data.remaining()
                    + " bytes are left of this write; let one of them read first, or set the option BOTH_WRITE_BYTES to as many bytes as are written at once";
            of.abort(() -> new IOException(why));
            of.lent().takeBack(which, data, true);
            throw new IOException(why);
        }
        if (!back) {
            takeBack(of, which, data);
        }
    }

    /** The program has back at once what it has lent, if anything; if the peer may be at it, the connection ends with that. */
    private static void takeBack(StreamConnection of, Lent which, ByteBuffer data) {
        if (!of.lent().takeBack(which, data, true)) {
            of.abort();
            of.lent().takeBack(which, data, true);
        }
    }

    /**
     * What a read has given back to the peer goes with the program's next call, maybe an answer, if the peer has room without it: nothing more comes before the context is
     * driven, which sends it. Else it goes now.
     */
    private void giveRoom(StreamConnection from) {
        int can = readiness.bits();
        boolean left = (can & SelectionKey.OP_READ) != 0 && (can & StreamWatcher.ENDED) == 0;
        if (left || !from.input().peerHasRoom()) {
            sendPosted(from);
        }
    }

    /** What was posted goes now: the program may be in no call for long. */
    private void sendPosted(StreamConnection of) {
        if (of.output().posted()) {
            sockets.flush();
        }
    }

    /** {@return how many bytes more are read of the message that the last ones were of, if writes are messages} What is wrong is said the next time: these have come. */
    private int restOfMessage(StreamConnection from, ByteBuffer into, int before, Duration patience) {
        int begin = into.position();
        int read = before;
        try {
            while (read > 0 && into.hasRemaining() && from.input().insideMessage()) {
                read = from.lent().wouldLend(into)
                        ? readInPlace(from, into)
                        : from.input().read(into);
                if (read == 0) {
                    read = await(from, into, patience);
                }
            }
        } catch (IOException e) {
            LOG.debug("A message of {} has no end", from.remoteAddress(), e);
        }
        return into.position() - begin;
    }

    boolean messageEnded() throws IOException {
        return !checkConnected().input().insideMessage();
    }

    /** Reads, and waits until there is something. Returns 0 if the time is over, the channel is closed, or the thread is interrupted. */
    private int await(StreamConnection from, ByteBuffer into, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        Duration left = patience;
        while (isOpen()) {
            readiness.awaitInput(left);
            int read = from.input().read(into);
            if (closedByInterrupt() || read != 0) {
                return read;
            }
            if (!patience.equals(SocketContext.FOR_EVER)) {
                left = Duration.ofNanos(deadline - System.nanoTime());
                if (left.isNegative()) {
                    break;
                }
            }
        }
        return 0;
    }

    @Override
    int read(ByteBuffer into, Duration patience) throws IOException {
        readLock.lock();
        try {
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            StreamConnection from = checkConnected();
            int read = 0;
            boolean late = false;
            try {
                begin();
                read = from.input().read(into);
                if (read == 0 && into.hasRemaining()) {
                    read = await(from, into, patience);
                    late = read == 0 && isOpen();
                }
                read += restOfMessage(from, into, read, patience);
            } finally {
                end(read != 0 || late || !into.hasRemaining());
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

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        readLock.lock();
        try {
            long sum = 0;
            for (int i = offset; i < offset + length; i++) {
                checkWritable(into[i]);
            }
            for (int i = offset; i < offset + length; i++) {
                if (!into[i].hasRemaining()) {
                    continue;
                }
                int read = sum == 0 ? read(into[i]) : readMore(into[i]);
                if (read <= 0) {
                    return sum == 0 ? read : sum;
                }
                sum += read;
                if (into[i].hasRemaining()) {
                    break;
                }
            }
            if (sum == 0) {
                checkConnected();
            }
            return sum;
        } finally {
            readLock.unlock();
        }
    }

    /** Reads without a wait what else there is, or the rest of a message; what is wrong is said the next time. */
    private int readMore(ByteBuffer into) throws ClosedChannelException {
        StreamConnection from = connection;
        boolean wanted = from != null
                && (from.input().messages()
                        ? from.input().insideMessage()
                        : from.input().available() > 0);
        if (from == null || !wanted) {
            return 0;
        }
        try {
            return from.input().messages() ? read(into) : from.input().read(into);
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
        return put(isBlocking() ? IN_PLACE : STREAM, 0, from);
    }

    private int put(Sink sink, long offset, ByteBuffer from) throws IOException {
        writeLock.lock();
        try {
            StreamConnection to = checkOutput();
            boolean blocking = isBlocking();
            int before = from.position();
            try {
                if (blocking) {
                    begin();
                }
                moveInPlace(sink, to, from);
                boolean borrowed = sink.take(to, offset, from);
                if (!blocking && from.hasRemaining() && from.position() == before) {
                    sockets.poll();
                    borrowed = sink.take(to, offset, from);
                }
                while (blocking && from.hasRemaining() && isOpen()) {
                    readiness.awaitOutput(SocketContext.FOR_EVER);
                    if (closedByInterrupt()) {
                        break;
                    }
                    moveInPlace(sink, to, from);
                    borrowed = sink.take(to, offset + (from.position() - before), from);
                }
                if (borrowed) {
                    awaitSent(to);
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

    /** Has the peer have bytes from where the program has them, as long as that can be. */
    private void moveInPlace(Sink sink, StreamConnection to, ByteBuffer from) throws IOException {
        int before = -1;
        while (sink == IN_PLACE && to.lent().wouldLend(from) && from.position() > before && lendOutput(to, from)) {
            before = from.position();
            awaitBack(to, Lent.OUTPUT, from);
        }
    }

    private static boolean lendOutput(StreamConnection to, ByteBuffer from) throws IOException {
        try {
            return to.lent().lendOutput(from);
        } catch (IOException | RuntimeException e) {
            takeBack(to, Lent.OUTPUT, from);
            throw e;
        }
    }

    /** Waits until all is sent that goes from where the program has it. What cannot be waited for is not sent: it may be something else soon. */
    private void awaitSent(StreamConnection to) {
        sockets.poll();
        while (to.output().borrowed() && isOpen() && !closedByInterrupt()) {
            readiness.awaitOutput(SocketContext.FOR_EVER);
        }
        if (to.output().borrowed()) {
            to.abort();
        }
    }

    // ---- memory that is written to by offsets

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
            LOG.debug("{} is not told that it may not write there any more", to.remoteAddress(), e);
        } finally {
            writeLock.unlock();
            to.output().free(range);
        }
    }

    private void tell(StreamConnection to, OutputHalf.Range range, boolean there) throws IOException {
        boolean told = false;
        try {
            begin();
            told = to.output().tell(range, there);
            while (!told && isOpen() && !closedByInterrupt()) {
                readiness.awaitOutput(SocketContext.FOR_EVER);
                told = to.output().tell(range, there);
            }
        } finally {
            end(told);
        }
        sendPosted(to);
    }

    /** Writes to memory that the peer has told of. */
    int write(long offset, ByteBuffer from) throws IOException {
        return put(MEMORY, offset, from);
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

    // ---- half an end, and the whole

    @Override
    public SocketChannel shutdownInput() throws IOException {
        StreamConnection current = checkConnected();
        inputOpen = false;
        current.input().shutdown();
        return this;
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
    boolean inputOpen() {
        return inputOpen;
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
            leavePlace();
        }
        readiness.close();
        if (last == null) {
            return;
        }
        int linger = options.linger();
        if (linger == 0) {
            last.abort();
            return;
        }
        last.close();
        sockets.poll();
        if (linger > 0 && isBlocking()) {
            try (ProgressCondition sent = sockets.driven().newCondition(last.output()::sent)) {
                last.output().whenSent(sent::signal);
                sockets.await(sent, Duration.ofSeconds(linger));
            }
            if (!last.output().sent()) {
                last.abort();
            }
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
    public int readyOps() {
        return readiness.bits();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        checkOption(name);
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
        checkOption(name);
        return options.tell(name);
    }

    private void checkOption(SocketOption<?> name) throws ClosedChannelException {
        if (!supportedOptions().contains(Objects.requireNonNull(name, "name"))) {
            throw new UnsupportedOperationException(name + " is no option of RDMA sockets: " + supportedOptions());
        }
        checkOpen();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.and(StreamOptions.OF_CONNECTIONS);
    }

    StreamOptions options() {
        return options;
    }

    @Override
    public String toString() {
        StreamConnection current = connection;
        String where = !isOpen()
                ? "closed"
                : current == null
                        ? "unconnected"
                        : (connected ? "connected " : "connection-pending ") + current.localAddress() + " -> "
                                + current.remoteAddress();
        return "jwarp.SocketChannel[" + where + "]";
    }
}
