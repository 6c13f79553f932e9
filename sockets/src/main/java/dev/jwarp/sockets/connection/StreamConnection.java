package dev.jwarp.sockets.connection;

import dev.jwarp.base.ShareTurn;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.SocketFault;
import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.sockets.stream.StreamRefusal;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a stream, from its request to its end, which can come long after the channel was closed. Used by
 * the channel and by the thread that drives the context. Any thread; no call blocks.
 */
public final class StreamConnection implements StreamHome.CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamConnection.class);

    /** Time for a closed connection to send what was written. */
    public static final Duration CLOSING = Duration.ofSeconds(60);

    /**
     * Time to wait for the peer's FIN before closing the connection: some peers discard received data that they have
     * not read yet when a FIN follows at once.
     */
    public static final Duration HELD = Duration.ofSeconds(1);

    /** Maximum time that a small write waits for more bytes, if writes may be combined. */
    public static final Duration COMBINING = Duration.ofNanos(500_000);

    private final StreamHome home;
    private final CmId id;
    private final SharedCompletionQueues.Shared completions;
    private final StreamMemory.Loan memory;
    private final StreamQueuePair pair;
    private final SocketEngine engine;
    private final SocketCore core;
    private final SocketLife life;
    private final ReentrantLock lock;
    private final InputHalf input;
    private final OutputHalf output;
    private final LentMemory lent;

    /** Called when the connection is established, has failed, or was displaced; null if this end has connected. */
    private @Nullable Consumer<StreamConnection> acceptor;

    /** The place in the backlog; null if this end has connected. */
    private volatile StreamPlaces.@Nullable Place place;

    private boolean gaveWay;

    /** Made for an id that the caller connects or accepts next. */
    StreamConnection(StreamHome home, CmId id, StreamSetUp settings) {
        this.home = home;
        this.id = id;
        completions = home.completionQueues().acquire();
        memory = home.memory().join(id.remoteAddress(), this::giveWay);
        boolean made = false;
        try {
            pair = StreamQueuePair.of(home.domain(), completions.queue, id, settings, memory, home.counts());
            core = new SocketCore(settings, pair);
            engine = core.engine;
            life = core.life;
            lock = core.lock;
            output = new OutputHalf(core, () -> home.flushLater(this));
            input = new InputHalf(core, output);
            lent = new LentMemory(core);
            pair.queuePair().attach(this);
            made = true;
        } finally {
            if (!made) {
                memory.close();
                home.completionQueues().release(completions);
            }
        }
        home.connections().add(this);
    }

    /**
     * {@return a connection that begins to connect}
     *
     * @param home of the connection
     * @param watcher notified when the connection is established or has failed
     * @param local local address; null: any
     * @param peer address to connect to
     * @param settings of the stream
     * @throws IOException if the attempt cannot begin
     */
    public static StreamConnection connect(
            StreamHome home,
            StreamWatcher watcher,
            @Nullable InetSocketAddress local,
            InetSocketAddress peer,
            StreamSetUp settings)
            throws IOException {
        CmId id = home.newId(event -> {});
        StreamConnection connection = null;
        boolean begun = false;
        try {
            id.resolveAddress(local, peer);
            connection = new StreamConnection(home, id, settings);
            connection.core.watcher = watcher;
            id.attach(connection);
            id.connect(settings.parameters().withPrivateData(connection.engine.record()));
            begun = true;
            return connection;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            if (connection == null) {
                id.close();
            } else if (!begun) {
                connection.abort();
            }
        }
    }

    /**
     * Accepts the request of a peer. In a handler.
     *
     * @param record of the peer, already checked
     * @param its place in the backlog until the program takes the connection, or the connection ends
     * @param told called when the connection is established, has failed, or was displaced
     * @throws StreamException if no stream is possible with the peer
     */
    void accept(ByteBuffer record, StreamPlaces.Place its, Consumer<StreamConnection> told) throws StreamException {
        acceptor = told;
        place = its;
        its.of(this);
        id.attach(this);
        lock.lock();
        try {
            id.accept(core.settings.parameters().withPrivateData(engine.record()));
            engine.connected(record);
            memory.turn(ShareTurn.FIRST);
        } catch (StreamException | RdmaException e) {
            abort();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A channel takes the established connection.
     *
     * @param what notified of the readiness of the connection from now on
     */
    public void attach(StreamWatcher what) {
        lock.lock();
        try {
            core.watcher = what;
            life.take();
            memory.turn(ShareTurn.NEVER);
            core.tell();
        } finally {
            lock.unlock();
        }
        leavePlace();
    }

    private void leavePlace() {
        StreamPlaces.Place held = place;
        if (held != null) {
            held.leave();
        }
    }

    // ---- events of the context

    @Override
    public void on(CmEvent event) {
        Consumer<StreamConnection> told = null;
        lock.lock();
        try {
            switch (event.type()) {
                case ESTABLISHED -> {
                    told = acceptor;
                    established(event);
                }
                case DISCONNECTED -> {
                    told = gaveWay ? acceptor : null;
                    ended(event);
                }
                case ADDR_ERROR, ROUTE_ERROR, UNREACHABLE, REJECTED, CONNECT_ERROR -> {
                    told = acceptor;
                    String why = StreamRefusal.sentence(
                            ByteBuffer.wrap(event.parameters().privateData()), core.settings.protocol());
                    RdmaErrorCode code = event.error();
                    String sentence = why == null ? event.sentence() : why;
                    core.fail(() -> SocketFaults.of(code, sentence));
                    ended(event);
                }
                default -> {}
            }
            core.tell();
        } finally {
            lock.unlock();
        }
        if (told != null) {
            told.accept(this);
        }
        releaseIfOver();
    }

    private void established(CmEvent event) {
        if (life.over()) {
            return; // the connection was aborted meanwhile
        }
        if (acceptor == null) {
            try {
                engine.connected(ByteBuffer.wrap(event.parameters().privateData()));
            } catch (StreamException e) {
                core.fail(() -> SocketFault.PROTOCOL.exception(e.sentence()));
                disconnect();
                return;
            }
        }
        life.move(SocketLife.Event.ESTABLISHED);
        if (acceptor != null && !gaveWay) {
            memory.turn(ShareTurn.BY_SIZE);
        }
    }

    private void ended(CmEvent event) {
        if (!life.established()) {
            String sentence = event.sentence();
            core.fail(() -> SocketFaults.of(RdmaErrorCode.CLOSED_BY_PEER, sentence));
        }
        engine.onEnded(event.error() == null);
        life.move(SocketLife.Event.OVER);
        output.sayReturned();
        output.allSent();
    }

    /** Processes a completion of the queue pair. */
    void on(WorkCompletion completion) {
        lock.lock();
        try {
            if (life.state() == SocketLife.State.RELEASED) {
                return;
            }
            pair.on(completion);
            output.sayReturned();
            if (engine.peerClosed()) {
                disconnect();
            }
            if (life.closed()) {
                endIfFinished();
            } else {
                core.tell();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- calls of the channel

    /**
     * {@return whether the connection is established}
     *
     * @throws IOException if it has failed
     */
    public boolean established() throws IOException {
        lock.lock();
        try {
            core.check();
            return life.established();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The program takes the connection if it is established; from then on the watcher gets the readiness to read and
     * write.
     *
     * @return whether the connection is established
     * @throws IOException if it has failed
     */
    public boolean take() throws IOException {
        lock.lock();
        try {
            boolean there = established();
            if (there) {
                life.take();
            }
            core.tell();
            return there;
        } finally {
            lock.unlock();
        }
    }

    /** {@return the read side} */
    public InputHalf input() {
        return input;
    }

    /** {@return the write side} */
    public OutputHalf output() {
        return output;
    }

    /** {@return the memory that is lent to the connection} */
    public LentMemory lent() {
        return lent;
    }

    /** {@return the local address; null if there is none yet} */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** {@return the peer's address; null if there is none} */
    public @Nullable InetSocketAddress remoteAddress() {
        return id.remoteAddress();
    }

    // ---- end

    boolean isOver() {
        lock.lock();
        try {
            return life.over();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the connection with the process: as {@link #close}, but calls of the program throw, including those that are
     * blocked.
     */
    void end() {
        lock.lock();
        try {
            if (!life.closed() && !core.failed()) {
                core.fail(() -> SocketFault.RESET.exception("the process ends, which ends the connection"));
                core.tell();
            }
        } finally {
            lock.unlock();
        }
        close();
    }

    /**
     * Closes the connection with its channel: sends the bytes that were written, and then the end of the stream. The
     * memory is freed at the end of the connection.
     */
    public void close() {
        lock.lock();
        try {
            if (life.closed()) {
                return;
            }
            endUse();
            if (!life.over()) {
                if (life.established()) {
                    engine.close();
                }
                endIfFinished();
                home.abortLater(this);
            }
        } finally {
            lock.unlock();
        }
        leavePlace();
        releaseIfOver();
    }

    /** The channel no longer uses the connection. */
    private void endUse() {
        life.close();
        core.watcher = null;
    }

    /**
     * {@return whether the connection is established} An established connection waits for the program from now on.
     * @throws IOException if it has failed
     */
    boolean waits() throws IOException {
        boolean there = established();
        StreamPlaces.Place held = place;
        if (there && held != null) {
            held.waits();
        }
        return there;
    }

    /**
     * Resets this connection, because another one needs its place or its memory, and the program does not know this
     * connection yet or has closed it. Also in a handler.
     */
    void giveWay() {
        lock.lock();
        try {
            if (gaveWay || (life.over() && life.closed())) {
                return; // the resources are freed already, or soon
            }
            gaveWay = true;
            core.fail(() -> SocketFault.RESET.exception(
                    "the connection was displaced by another one before the program accepted it: raise the backlog, or "
                            + SocketSetting.MEMORY.key()));
            if (!life.untaken() && !life.closed()) { // the program takes it at this moment
                engine.onEnded(false);
                core.tell();
            }
            if (life.over()) {
                home.disconnectLater(
                        this); // does not take the acceptor's lock here, because the caller may hold that of another
                // one
            } else if (life.untaken()) {
                life.close();
                home.abortLater(this);
            }
        } finally {
            lock.unlock();
        }
        leavePlace();
        try {
            pair.queuePair().modify(QueuePairState.ERR);
        } catch (RdmaException e) {
            LOG.debug("{} has ended already", remoteAddress(), e);
        }
    }

    private void endIfFinished() {
        memory.turn(engine.allGone() || engine.finished() ? ShareTurn.FIRST : ShareTurn.BY_SIZE);
        if (!life.established()) {
            disconnect();
        } else if (engine.finished()) {
            output.allSent();
            if (engine.peerClosed() || engine.failed()) {
                disconnect();
            } else if (life.move(SocketLife.Event.ALL_SAID)) {
                home.disconnectLater(this);
            }
        }
    }

    /**
     * Disconnects, after the peer had time to do so. A connection that has ended and was displaced is closed by its
     * acceptor.
     */
    public void disconnectHeld() {
        Consumer<StreamConnection> told;
        lock.lock();
        try {
            disconnect();
            told = gaveWay && life.over() && !life.closed() ? acceptor : null;
        } finally {
            lock.unlock();
        }
        if (told != null) {
            told.accept(this);
        }
    }

    private void disconnect() {
        if (life.move(SocketLife.Event.END_WANTED)) {
            id.disconnect();
        }
    }

    /** Aborts the connection: unsent bytes are lost. Not in a handler. */
    public void abort() {
        lock.lock();
        try {
            endUse();
            life.move(SocketLife.Event.OVER);
            output.allSent();
        } finally {
            lock.unlock();
        }
        releaseIfOver();
    }

    /**
     * Aborts the connection while its channel is open; calls of the channel throw from now on. Not in a handler.
     *
     * @param why makes the exception of each call
     */
    public void abort(Supplier<IOException> why) {
        lock.lock();
        try {
            core.fail(why);
            engine.onEnded(false);
            core.tell(); // also wakes threads that are blocked
        } finally {
            lock.unlock();
        }
        abort();
    }

    /** Frees the resources, once. Not under the lock, which the thread that drives the context may need meanwhile. */
    private void releaseIfOver() {
        lock.lock();
        try {
            if (!life.closed() || !life.move(SocketLife.Event.RELEASED)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        leavePlace();
        home.connections().remove(this);
        home.over(this);
        id.close();
        pair.close();
        home.completionQueues().release(completions);
        lock.lock();
        try {
            output.sayReturned();
        } finally {
            lock.unlock();
        }
    }
}
