package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.Share;
import dev.jwarp.io.LoopItem;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngine.Ending;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the bytes of one TCP connection between its socket and an engine: reads into the loop's ring, writes a batch in
 * one call, ends the connection as the engine requests. Owner only, unless stated otherwise.
 */
final class StreamIo extends LoopItem implements StreamDriver {
    private static final Logger LOG = LoggerFactory.getLogger(StreamIo.class);

    /** See {@link #wasSilent}: far less than any timeout of a peer. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final TcpLoop owner;
    private final WatchedSocket socket;
    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress wantedLocal;
    private volatile InetSocketAddress local;
    private @Nullable StreamEngine engine;
    private boolean connected;
    private boolean reserved;

    /** Whether the engine is in a call. A look follows each call, so no look begins within a call. */
    private boolean busy;

    private boolean over;

    /** The failure of a write; nothing is written afterwards. */
    private @Nullable IOException writeFailure;

    /** Whether the engine has been notified of the lost connection. */
    private boolean lost;

    /** Whether tasks after a call of the engine are running. A look follows; {@link #lookAgain} requests another. */
    private boolean handing;

    private boolean lookAgain;

    /** Whether the present look follows a read. */
    private boolean received;

    /** Maximum number of bytes of the last read. */
    private int wanted;

    private final InputFirst input = new InputFirst();

    /** The time of the last input, or of the last read after a long silence. */
    private long lastRead;

    private @Nullable Share place;

    /** Creates a stream from {@code wantedLocal}, or from any address if null, to {@code remote}. Any thread. */
    StreamIo(TcpLoop owner, InetSocketAddress remote, @Nullable InetSocketAddress wantedLocal) {
        super(owner.loop);
        this.owner = owner;
        this.remote = remote;
        this.wantedLocal = wantedLocal;
        local = wantedLocal == null ? new InetSocketAddress(0) : wantedLocal;
        socket = new WatchedSocket(loop, this);
    }

    /** Sets the engine; once, before any other call. Any thread. */
    void attach(StreamEngine driven) {
        engine = driven;
    }

    private StreamEngine engine() {
        return Objects.requireNonNull(engine);
    }

    WatchedSocket socket() {
        return socket;
    }

    /** Returns the socket if only input can affect the connection. */
    @Override
    protected LoopItem.@Nullable Blockable blockable() {
        boolean quiet = connected
                && !over
                && !socket.isWriteBlocked()
                && !socket.isInputClosed()
                && engine().ending() == Ending.OPEN;
        return quiet ? socket : null;
    }

    // ---- life

    /** Connects; the caller has reserved the connection. */
    void connect(long nowNanos) {
        reserved = true;
        loop.items().add(this);
        open(nowNanos);
    }

    /** Fails without an attempt to connect. */
    void refuse(ConnectProblem problem) {
        loop.items().add(this);
        connectFailed(problem, loop.now());
    }

    /** Runs an accepted connection; {@code reservation} is its share of the connection limit. */
    void accepted(StreamSocket taken, Share reservation, long nowNanos) {
        reserved = true;
        place = reservation;
        socket.hold(taken);
        loop.items().add(this);
        try {
            socket.begin();
            onConnected(nowNanos);
        } catch (IOException e) {
            socket.close(true);
            broken(e, nowNanos); // the peer has left already
        }
    }

    private void open(long nowNanos) {
        if (remote.isUnresolved()) {
            connectFailed(ConnectProblem.unknownHost(remote), nowNanos);
            return;
        }
        StreamSocket opened;
        try {
            opened = owner.sockets.open(wantedLocal);
        } catch (IOException | IllegalArgumentException e) { // for example an address of another family
            connectFailed(owner.sockets.whyNotBound(wantedLocal, e), e, nowNanos);
            return;
        }
        boolean already;
        try {
            already = socket.connect(opened, remote);
        } catch (IOException | IllegalArgumentException e) {
            connectFailed(owner.sockets.whyNotConnected(wantedLocal, e), e, nowNanos);
            return;
        }
        if (already) {
            onConnected(nowNanos);
        } else {
            look(nowNanos);
        }
    }

    private void finishConnect(long nowNanos) {
        boolean there;
        try {
            there = socket.finishConnect();
        } catch (IOException e) {
            connectFailed(owner.sockets.whyNotConnected(wantedLocal, e), e, nowNanos);
            return;
        }
        if (there) {
            onConnected(nowNanos);
        }
    }

    private void onConnected(long nowNanos) {
        connected = true;
        busy = true;
        try {
            InetSocketAddress bound = socket.localAddress();
            local = bound == null ? local : bound;
            engine().onConnected(nowNanos);
        } catch (IOException e) {
            LOG.debug("The connection with {} has no address any more", remote, e);
        } finally {
            busy = false;
        }
        look(nowNanos);
    }

    private void connectFailed(LlpFailure failure, Exception cause, long nowNanos) {
        connectFailed(ConnectProblem.ofConnect(remote, wantedLocal, failure, cause), nowNanos);
    }

    private void connectFailed(ConnectProblem problem, long nowNanos) {
        busy = true;
        try {
            engine().onConnectFailed(problem.failure(), problem.sentence(), nowNanos);
        } finally {
            busy = false;
        }
        look(nowNanos);
        close(false);
    }

    /** RFC 6581 §10: another TCP connection for another revision. */
    private void reconnect(long nowNanos) {
        socket.close(false);
        connected = false;
        writeFailure = null;
        lost = false;
        open(nowNanos);
    }

    // ---- in

    /**
     * {@return whether to read before a write, because nothing has arrived for long} The operating system reports the
     * error of a connection once, to the first call. The class of a read's exception identifies the error; the class of
     * a write's exception does not.
     */
    private boolean wasSilent(long nowNanos) {
        boolean silent = nowNanos - lastRead >= SILENCE_NANOS && !socket.isBlocking();
        if (silent) {
            lastRead = nowNanos;
        }
        return silent;
    }

    @Override
    protected void onReady(int operations, long nowNanos) {
        int ready = over ? 0 : operations;
        if ((ready & SelectionKey.OP_CONNECT) != 0) {
            finishConnect(nowNanos);
            return;
        }
        if ((ready & SelectionKey.OP_WRITE) != 0) {
            socket.unblockOutput();
        }
        if ((ready & SelectionKey.OP_READ) == 0 || !read()) {
            look(nowNanos);
        }
    }

    /**
     * Reads, and reads again after a full read: there is most likely more, so the selector is not needed.
     *
     * @return whether there was input: bytes, the end, or an error. Waits only if the channel blocks.
     */
    @Override
    protected boolean read() {
        ByteBuffer ring = loop.ring();
        int bytes = readOnce(ring, 0);
        boolean any = bytes != 0;
        for (int reads = 1; bytes > 0 && bytes == wanted && !socket.isBlocking(); reads++) {
            bytes = readOnce(ring, reads);
        }
        return any;
    }

    private int readOnce(ByteBuffer ring, int reads) {
        if (!connected || over || socket.isInputClosed()) {
            return 0;
        }
        int most = engine().readQuota(ring.capacity(), reads);
        wanted = most;
        if (most == 0) {
            return 0;
        }
        int bytes = socket.read(ring.clear().limit(most));
        input.read(Math.max(0, bytes), bytes < most);
        if (bytes != 0) { // a blocking read may have waited for long
            took(bytes, ring.flip(), socket.isBlocking() ? loop.now() : loop.stepTime());
        }
        return bytes;
    }

    private void took(int bytes, ByteBuffer ring, long nowNanos) {
        lastRead = nowNanos;
        busy = true;
        try {
            if (bytes > 0) {
                engine().receive(ring, nowNanos);
            } else {
                socket.inputClosed();
                IOException unwritten = writeFailure;
                if (bytes == WatchedSocket.TIMED_OUT || (unwritten != null && socket.timedOutWriting(unwritten))) {
                    lost = true;
                    engine().onTimedOut(nowNanos);
                } else if (bytes == WatchedSocket.BROKEN || unwritten != null) {
                    lost = true;
                    engine().onBroken(nowNanos);
                } else {
                    engine().onInputClosed(nowNanos);
                }
            }
        } finally {
            busy = false;
        }
        received = true;
        look(nowNanos);
        received = false;
    }

    /** The connection broke outside of a call of the stream. */
    void broken(IOException cause) {
        try {
            broken(cause, loop.now());
        } catch (Throwable e) {
            fault(e, loop.now());
        }
    }

    private void broken(IOException cause, long nowNanos) {
        LOG.debug("The connection with {} broke", remote, cause);
        if (!over) {
            took(WatchedSocket.BROKEN, NOTHING, nowNanos);
        }
    }

    /** Reads pending input before the timer fires, because the process may have been suspended. */
    @Override
    protected void onTimer(long nowNanos) {
        input.begin();
        if (socket.isConnecting()) {
            finishConnect(nowNanos);
        } else {
            loop.read(this);
        }
        if (socket.isWriteBlocked()) {
            socket.unblockOutput();
            look(nowNanos);
        }
        if (over) {
            return;
        }
        long timeout = engine().nextTimeout();
        if (timeout > nowNanos || (!input.isDrained() && input.waits(timeout, socket.receiveBuffer()))) {
            loop.timers().schedule(this, timeout);
            return;
        }
        busy = true;
        try {
            engine().onTimeout(nowNanos);
        } finally {
            busy = false;
        }
        look(nowNanos);
    }

    // ---- out

    @Override
    protected void onWoken(long nowNanos) {
        if (wasSilent(nowNanos)) {
            loop.read(this);
        }
        look(nowNanos);
    }

    /**
     * Writes output, ends the connection and sets the timer as the engine requests. Called after every call of the
     * engine.
     */
    void look(long nowNanos) {
        if (busy) {
            return;
        }
        runAfterCalls();
        lookAlone(nowNanos);
        runAfterCalls();
        if (lookAgain && !over) {
            loop.wake(this); // after other items
        }
    }

    /** A write has failed: reads the peer's last bytes, such as a Terminate, then reports that the connection broke. */
    private void takeTheRest(IOException cause) {
        loop.blockingWait().leave();
        while (failed(cause) && !socket.isInputClosed() && loop.read(this)) {}
        if (failed(cause)) {
            broken(cause);
        }
    }

    /**
     * {@return whether the failed write belongs to the current connection, and the engine is not yet notified of the
     * end}
     */
    private boolean failed(IOException cause) {
        return writeFailure == cause && !lost && !over;
    }

    /**
     * As {@link #look}, without the tasks after calls, because the caller may be in a call of the program or of another
     * engine.
     */
    private void lookAlone(long nowNanos) {
        lookAgain = false;
        if (over || busy) {
            return;
        }
        busy = true;
        try {
            write(nowNanos);
        } finally {
            busy = false;
        }
        if (engine().ending() != Ending.OPEN) {
            obey(nowNanos);
        }
        if (!over) {
            loop.timers().schedule(this, engine().nextTimeout());
        }
    }

    /** Runs the tasks after a call of the engine. A look follows, so these tasks need not request one. */
    private void runAfterCalls() {
        AfterCalls tasks = loop.afterCalls();
        if (!tasks.isEmpty()) {
            boolean within = handing;
            handing = true;
            try {
                tasks.run();
            } finally {
                handing = within;
            }
        }
    }

    private void write(long nowNanos) {
        boolean more = writeFailure == null;
        for (int writes = 0;
                more && !endsTurn(writes) && engine().prepareOutput(nowNanos) && connected && !socket.isWriteBlocked();
                writes++) {
            long written;
            try {
                written = socket.write(engine().output(), engine().outputCount());
            } catch (IOException e) {
                writeFailure = e;
                loop.note(() -> takeTheRest(e)); // later, because the ring may be in use now
                break;
            }
            more = engine().onWritten(written, nowNanos);
        }
    }

    private boolean endsTurn(int writes) {
        if (socket.isWriteBlocked() || !engine().endsTurn(writes, received)) {
            return false;
        }
        wakeup(); // after other items
        return true;
    }

    private void obey(long nowNanos) {
        switch (engine().ending()) {
            case OPEN -> {}
            case SHUT_DOWN_OUTPUT -> {
                try {
                    socket.shutDownOutput(connected);
                } catch (IOException e) {
                    broken(e, nowNanos);
                }
            }
            case CLOSE -> close(false);
            case ABORT -> close(true);
            case RECONNECT -> {
                if (connected) { // otherwise the connect is in progress
                    reconnect(nowNanos);
                }
            }
        }
    }

    @Override
    protected void fault(Throwable cause, long nowNanos) {
        if (!over) {
            owner.context.fault(engine(), remote, cause, nowNanos);
            close(true);
        }
    }

    /** Ends the connection from outside: the transport is closed. */
    @Override
    protected void abort(long nowNanos) {
        IOException cause = writeFailure;
        if (cause != null && failed(cause)) {
            broken(cause);
        }
        engine().connection().abort();
        look(nowNanos);
        close(true);
    }

    private void close(boolean reset) {
        if (over) {
            return;
        }
        over = true;
        loop.timers().schedule(this, Long.MAX_VALUE);
        loop.items().remove(this);
        if (reserved) {
            owner.release(place);
        }
        socket.close(reset);
    }

    // ---- calls from the engine

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int effectiveMaximumSegmentSize() {
        return owner.context.pathMtu().segmentSize(local.getAddress());
    }

    @Override
    public int unsentOctets(int segment) {
        return socket.unsent(segment);
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) {
        socket.keepAlive(wanted);
    }

    @Override
    public void wakeup() {
        if (handing && loop.isMine()) {
            lookAgain = true;
        } else {
            loop.wake(this);
        }
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        loop.afterCalls().add(task);
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(() -> {
            try {
                task.run();
                lookAlone(loop.now());
            } catch (Throwable e) {
                if (busy) {
                    throw e; // thrown to the caller of the engine, because the connection must not end within that call
                }
                fault(e, loop.now());
            }
        });
    }
}
