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
 * One connection of a stream, from the request for it until it is over, which may be long after its channel was closed. The channel calls it, and the thread that
 * drives the context. Any thread; nothing here waits.
 */
public final class StreamConnection implements StreamHome.CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamConnection.class);

    /** Time for a closed connection to send what was written. */
    public static final Duration CLOSING = Duration.ofSeconds(60);

    /** Time to wait for the peer's FIN before closing the connection: some peers discard received data that they have not read yet when a FIN follows at once. */
    public static final Duration HELD = Duration.ofSeconds(1);

    /** Longest time that a small write waits for more, if writes may be combined. */
    public static final Duration COMBINING = Duration.ofNanos(500_000);

    private final StreamHome home;
    private final CmId id;
    private final CompletionRooms.Room room;
    private final StreamMemory.Loan memory;
    private final StreamQueuePair pair;
    private final SocketEngine engine;
    private final SocketCore core;
    private final SocketLife life;
    private final ReentrantLock lock;
    private final InputHalf input;
    private final OutputHalf output;
    private final LentMemory lent;

    /** Told when the connection is established, has failed, or has given way; null: this end has connected. */
    private @Nullable Consumer<StreamConnection> acceptor;

    /** The place among the connections that no program has taken; null: it has none. */
    private volatile StreamPlaces.@Nullable Place place;

    private boolean gaveWay;

    /** Of an id that is connected, or accepted, next. */
    StreamConnection(StreamHome home, CmId id, StreamSetUp settings) {
        this.home = home;
        this.id = id;
        room = home.rooms().enter();
        memory = home.memory().join(id.remoteAddress(), this::giveWay);
        boolean made = false;
        try {
            pair = StreamQueuePair.of(home.domain(), room.queue, id, settings, memory, home.counts());
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
                home.rooms().leave(room);
            }
        }
        home.connections().add(this);
    }

    /**
     * {@return a connection that begins to connect}
     *
     * @param home of the connection
     * @param watcher is told when it is there, or failed
     * @param local null: any
     * @param peer where to
     * @param settings what it is set up with
     * @throws IOException if that cannot even be tried
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
     * Accepts it, as a peer has asked for it. In a handler.
     *
     * @param record of the peer, which was checked
     * @param its place until the program takes it, or it ends
     * @param told when it is there, or failed, or gave way
     * @throws StreamException if there is no stream to be had with the peer
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
     * A channel takes it, and knows that it is there.
     *
     * @param what is told what it can do from now on
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

    // ---- what the context tells

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
            return; // it was aborted meanwhile
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

    /** A completion of the queue pair. */
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

    // ---- what the channel does

    /**
     * {@return whether it is there}
     *
     * @throws IOException if it cannot be had
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
     * The program takes it, if it is there: from now on its bits are those of reading and writing.
     *
     * @return whether it is there
     * @throws IOException if it cannot be had
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

    /** {@return what is read of it} */
    public InputHalf input() {
        return input;
    }

    /** {@return what is written to it} */
    public OutputHalf output() {
        return output;
    }

    /** {@return memory that is lent to it} */
    public LentMemory lent() {
        return lent;
    }

    /** {@return our address; null if there is none yet} */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** {@return the peer's address; null if there is none} */
    public @Nullable InetSocketAddress remoteAddress() {
        return id.remoteAddress();
    }

    // ---- its end

    boolean isOver() {
        lock.lock();
        try {
            return life.over();
        } finally {
            lock.unlock();
        }
    }

    /** The process ends: as {@link #close}, and calls of the program throw, those that go on, too. */
    void end() {
        lock.lock();
        try {
            if (!life.closed() && !core.failed()) {
                core.fail(() -> SocketFault.RESET.exception("the process ends, and with it the connection"));
                core.tell();
            }
        } finally {
            lock.unlock();
        }
        close();
    }

    /** The channel is closed: what was written is sent, and the peer is told; then it is over, and its memory is freed. */
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
     * {@return as {@link #established}; one that is waits for the program from now on}
     *
     * @throws IOException if it cannot be had
     */
    boolean waits() throws IOException {
        boolean there = established();
        StreamPlaces.Place held = place;
        if (there && held != null) {
            held.waits();
        }
        return there;
    }

    /** Another connection needs what this one has, which no program knows, or knows any more: it is reset, and over soon. Also in a handler. */
    void giveWay() {
        lock.lock();
        try {
            if (gaveWay || (life.over() && life.closed())) {
                return; // it is freed already, or soon
            }
            gaveWay = true;
            core.fail(() -> SocketFault.RESET.exception(
                    "the connection gave way to another one before the program took it: the backlog, or "
                            + SocketSetting.MEMORY.key() + ", was used up"));
            if (!life.untaken() && !life.closed()) { // it is taken at this moment
                engine.onEnded(false);
                core.tell();
            }
            if (life.over()) {
                home.disconnectLater(this); // the acceptor's lock is not taken here: another one's may be held
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

    /** The peer had its time to disconnect. A connection that has ended and gave way is closed by its acceptor. */
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

    /** Ends it at once: what was not sent is lost. Not in a handler. */
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
     * Ends it at once while its channel is open, whose calls throw from now on. Not in a handler.
     *
     * @param why makes what they throw
     */
    public void abort(Supplier<IOException> why) {
        lock.lock();
        try {
            core.fail(why);
            engine.onEnded(false);
            core.tell(); // threads that wait learn it, too
        } finally {
            lock.unlock();
        }
        abort();
    }

    /** Frees its memory, once. Not under the lock, which the thread that drives the context may want meanwhile. */
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
        home.rooms().leave(room);
        lock.lock();
        try {
            output.sayReturned();
        } finally {
            lock.unlock();
        }
    }
}
