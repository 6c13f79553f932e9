package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngine.Ending;
import dev.jwarp.transport.tcp.net.ConnectProblem;
import dev.jwarp.transport.tcp.net.InputFirst;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection: moves the octets between a socket and an engine, and does to the socket what the engine says. All
 * methods are the owner's unless they say otherwise.
 */
final class NioStream extends Timed implements StreamDriver {
    private static final Logger LOG = LoggerFactory.getLogger(NioStream.class);

    /** Reads before others get their turn. */
    private static final int READS_A_TURN = 4;

    /** See {@link #wasSilent}: far less than any time after which a peer is given up. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Any thread rings it when the connection wants a look. */
    final Bells.Bell<NioStream> bell = new Bells.Bell<>(this);

    /** Its place in the loop's list of streams, -1 outside. */
    int listIndex = -1;

    private final NioShared shared;
    private final TcpSocket socket;
    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress wantedLocal;
    private volatile InetSocketAddress local;
    private @Nullable StreamEngine engine;
    private boolean connected;
    private boolean reserved;

    /** In a call of the engine: a look follows, so none must begin within. */
    private boolean busy;

    private boolean over;

    /** A write has failed: nothing goes out any more. */
    private @Nullable IOException writeFailure;

    /** The engine knows that the connection is lost. */
    private boolean lost;

    /** What the owner does after calls is under way: a look follows that is told with {@link #lookAgain}. */
    private boolean handing;

    private boolean lookAgain;

    /** How much the last read was to bring at most. */
    private int wanted;

    private final InputFirst input = new InputFirst();

    /** When something came last, or was looked for after a long silence. */
    private long lastRead;

    private @Nullable Share place;

    /** A stream from {@code wantedLocal}, or from anywhere if that is null, to {@code remote}. Any thread. */
    NioStream(TcpLoop loop, NioShared shared, InetSocketAddress remote, @Nullable InetSocketAddress wantedLocal) {
        super(loop);
        this.shared = shared;
        this.remote = remote;
        this.wantedLocal = wantedLocal;
        local = wantedLocal == null ? new InetSocketAddress(0) : wantedLocal;
        socket = new TcpSocket(loop, this);
    }

    /** Says what runs here; once, before all else. Any thread. */
    void attach(StreamEngine driven) {
        engine = driven;
    }

    private StreamEngine engine() {
        return Objects.requireNonNull(engine);
    }

    TcpSocket socket() {
        return socket;
    }

    /** {@return whether nothing but input can make a difference: the moment to wait in a blocking read} */
    boolean isQuiet() {
        return connected
                && !over
                && !socket.isWriteBlocked()
                && !socket.isInputClosed()
                && engine().ending() == Ending.OPEN;
    }

    // ---- life

    /** Connects; a connection is reserved for it. */
    void connect(long nowNanos) {
        reserved = true;
        loop.streams().add(this);
        open(nowNanos);
    }

    /** Fails without having tried. */
    void refuse(ConnectProblem problem) {
        loop.streams().add(this);
        connectFailed(problem, loop.now());
    }

    /** Runs a connection that a listener took; {@code reservation} is its place. */
    void accepted(SocketChannel taken, Share reservation, long nowNanos) {
        reserved = true;
        place = reservation;
        socket.hold(taken);
        loop.streams().add(this);
        try {
            shared.sockets.prepare(taken);
            socket.watchInput();
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
        SocketChannel opened;
        try {
            opened = shared.sockets.open(wantedLocal);
        } catch (IOException | IllegalArgumentException e) { // such as an address of another family
            connectFailed(NioFailure.ofBind(wantedLocal, e), e, nowNanos);
            return;
        }
        boolean already;
        try {
            already = socket.connect(opened, remote);
        } catch (IOException | IllegalArgumentException e) {
            connectFailed(NioFailure.ofThisSystem().ofConnect(wantedLocal, e), e, nowNanos);
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
            connectFailed(NioFailure.ofThisSystem().ofConnect(wantedLocal, e), e, nowNanos);
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
     * {@return whether nothing has come for so long that it is to be read before anything is written} The operating system tells
     * the error of a connection once, to the call that comes first; the exception of a read says by its class which error it is,
     * that of a write does not.
     */
    boolean wasSilent(long nowNanos) {
        boolean silent = nowNanos - lastRead >= SILENCE_NANOS && !socket.isBlocking();
        if (silent) {
            lastRead = nowNanos;
        }
        return silent;
    }

    /** The selector says that something can be done. */
    void onReady(ByteBuffer ring, long nowNanos) {
        int ready = over ? 0 : socket.readyOperations();
        if ((ready & SelectionKey.OP_CONNECT) != 0) {
            finishConnect(nowNanos);
            return;
        }
        if ((ready & SelectionKey.OP_WRITE) != 0) {
            socket.unblock();
        }
        if ((ready & SelectionKey.OP_READ) == 0 || !read(ring)) {
            look(nowNanos);
        }
    }

    /**
     * Reads, and again where as much came as was wanted: there is more behind it most likely, and the selector need not be asked.
     *
     * @return whether anything came: octets, the end, or an error. Waits only if the channel blocks.
     */
    boolean read(ByteBuffer ring) {
        int octets = readOnce(ring, true);
        boolean any = octets != 0;
        for (int reads = 1; octets > 0 && octets == wanted && reads < READS_A_TURN && !socket.isBlocking(); reads++) {
            octets = readOnce(ring, false);
        }
        return any;
    }

    private int readOnce(ByteBuffer ring, boolean first) {
        if (!connected || over || socket.isInputClosed()) {
            return 0;
        }
        int most = engine().readQuota(ring.capacity(), first);
        wanted = most;
        if (most == 0) {
            return 0;
        }
        int octets = socket.read(ring.clear().limit(most));
        input.read(Math.max(0, octets), octets < most);
        if (octets != 0) { // a read that waited has taken its time
            took(octets, ring.flip(), socket.isBlocking() ? loop.now() : loop.stepTime());
        }
        return octets;
    }

    private void took(int octets, ByteBuffer ring, long nowNanos) {
        lastRead = nowNanos;
        busy = true;
        try {
            if (octets > 0) {
                engine().receive(ring, nowNanos);
            } else {
                socket.inputClosed();
                if (octets == TcpSocket.TIMED_OUT) {
                    lost = true;
                    engine().onTimedOut(nowNanos);
                } else if (octets == TcpSocket.BROKEN || writeFailure != null) {
                    lost = true;
                    engine().onBroken(nowNanos);
                } else {
                    engine().onInputClosed(nowNanos);
                }
            }
        } finally {
            busy = false;
        }
        look(nowNanos);
    }

    /** The connection broke where the stream was in no call. */
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
            took(TcpSocket.BROKEN, NOTHING, nowNanos);
        }
    }

    /** What came before is handled first: the process may have got no time for a while. */
    @Override
    void onTimer(long nowNanos) {
        input.begin();
        if (socket.isConnecting()) {
            finishConnect(nowNanos);
        } else {
            loop.read(this);
        }
        if (socket.isWriteBlocked()) {
            socket.unblock();
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

    /** Writes, ends, sets the timer as the engine wants. After every call into the engine. */
    void look(long nowNanos) {
        if (busy) {
            return;
        }
        runAfterCalls();
        lookAlone(nowNanos);
        runAfterCalls();
        if (lookAgain && !over) {
            loop.wake(this); // behind others
        }
    }

    /** A write has failed. What the peer said before it left, such as a Terminate, is with the system still: it is taken, then the connection is broken. */
    private void takeTheRest(IOException cause) {
        loop.blockingWait().leave();
        while (failed(cause) && !socket.isInputClosed() && loop.read(this)) {}
        if (failed(cause)) {
            broken(cause);
        }
    }

    /** {@return whether that write was of the connection that there is, and the engine does not know of its end} */
    private boolean failed(IOException cause) {
        return writeFailure == cause && !lost && !over;
    }

    /** A look without what is done after calls: the caller may be in a call of the program, or of another engine. */
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

    /** What those above wanted to do outside of the engine's calls: the next look is near, so they need not ask for it. */
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
        for (int writes = 0;
                writeFailure == null
                        && !endsTurn(writes)
                        && engine().prepareOutput(nowNanos)
                        && connected
                        && !socket.isWriteBlocked();
                writes++) {
            long written;
            try {
                written = socket.write(engine().output(), engine().outputCount());
            } catch (IOException e) {
                writeFailure = e;
                loop.note(() -> takeTheRest(e)); // not now: the ring that it reads into may be in use
                break;
            }
            engine().onWritten(written, nowNanos);
        }
    }

    private boolean endsTurn(int writes) {
        if (socket.isWriteBlocked() || !engine().endsTurn(writes)) {
            return false;
        }
        wakeup(); // others come first
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
                if (connected) { // else it is under way
                    reconnect(nowNanos);
                }
            }
        }
    }

    @Override
    void fault(Throwable cause, long nowNanos) {
        if (!over) {
            shared.context.fault(engine(), remote, cause, nowNanos);
            close(true);
        }
    }

    /** Ends the connection from outside: the transport is closed. */
    void abort(long nowNanos) {
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
        loop.streams().remove(this);
        if (reserved) {
            shared.context.releaseConnection(place);
        }
        socket.close(reset);
    }

    // ---- what the engine asks

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
        return shared.context.pathMtu().segmentSize(local.getAddress());
    }

    @Override
    public int unsentOctets(int segment) {
        return socket.unsent(segment, remote, shared.sockets);
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
                    throw e; // to whoever is in a call of the engine: it must not end within
                }
                fault(e, loop.now());
            }
        });
    }
}
