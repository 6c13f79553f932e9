package dev.jwarp.sockets.connection;

import dev.jwarp.base.ShareTurn;
import dev.jwarp.sockets.stream.BufferSink;
import dev.jwarp.sockets.stream.BufferSource;
import dev.jwarp.sockets.stream.RsocketEngine;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.SocketFault;
import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.sockets.stream.StreamRefusal;
import dev.jwarp.sockets.stream.StreamSink;
import dev.jwarp.sockets.stream.StreamSource;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.BitSet;
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
public final class StreamConnection implements CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamConnection.class);

    /** Time for a closed connection to send what was written. */
    public static final Duration CLOSING = Duration.ofSeconds(60);

    /** Time to wait for the peer's FIN before closing the connection: some peers discard received data that they have not read yet when a FIN follows at once. */
    public static final Duration HELD = Duration.ofSeconds(1);

    /** Longest time that a small write waits for more, if writes may be combined. */
    public static final Duration COMBINING = Duration.ofNanos(500_000);

    /** Writes of a row that are sent at once; later ones are combined. */
    private static final int ROW_BEGINS = 3;

    /** Bytes: a longer write is never combined. */
    private static final int LONGEST_OF_ROW = 1 << 15;

    /** The length of the pieces that {@code FileChannel.transferTo} and most loops of the JDK write. */
    private static final int PIECE = 8192;

    private final StreamHome home;
    private final CmId id;
    private final CompletionRooms.Room room;
    private final StreamProtocol protocol;
    private final CreditSetUp credit;
    private final StreamMemory.Loan memory;
    private final StreamQueuePair pair;
    private final SocketEngine stream;

    /** Held for a moment: while bytes are copied, or the peer's word is taken. */
    private final ReentrantLock lock = new ReentrantLock();

    private final BufferSink buffer = new BufferSink();
    private final BufferSource source = new BufferSource();

    /** The program knows that it is there. */
    private boolean taken;

    /** What it can do; null once the channel is closed. */
    private @Nullable StreamWatcher watcher;

    /** Entries of the peer's map that it was told of. */
    private final BitSet shared = new BitSet();

    /** Small writes may wait for others. */
    private boolean combining;

    /** Writes of one length that came one right behind the other. */
    private int row;

    /** Bytes of each of them. */
    private int rowLength;

    /** When the last one was taken whole. */
    private long rowAt;

    /** Bytes of the last one that are not taken. */
    private int rowRest;

    private boolean established;
    /** What waits for other bytes goes before long. */
    private boolean flushing;

    private boolean closing;
    private boolean held;
    private boolean disconnecting;

    /** Makes what each call throws from now on, with the stack of that call. */
    private @Nullable Supplier<IOException> failure;

    private boolean over;
    private boolean released;

    /** Nothing of what was written waits to be sent, nor ever will be. */
    private volatile boolean sent;

    /** A thread waits for that. */
    private volatile @Nullable Runnable onSent;

    /** Who lent bytes waits for them. */
    private @Nullable Runnable onReturned;

    /** Is told when the connection is there, or failed, or gave way; null: of none. */
    private @Nullable Consumer<StreamConnection> acceptor;

    /** Among those that no program has taken; null: in none. */
    private volatile StreamPlaces.@Nullable Place place;

    private boolean gaveWay;

    private StreamConnection(StreamHome home, CmId id, StreamSetUp settings) {
        this.home = home;
        protocol = settings.protocol();
        credit = settings.credit();
        this.id = id;
        room = home.rooms().enter();
        memory = home.memory().join(id.remoteAddress(), this::giveWay);
        boolean made = false;
        try {
            pair = StreamQueuePair.of(home.domain(), room.queue, id, settings, memory, home.counts());
            pair.attach(this);
            made = true;
        } finally {
            if (!made) {
                memory.close();
                home.rooms().leave(room);
            }
        }
        stream = pair.stream();
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
            connection.watcher = watcher;
            id.attach(connection);
            id.connect(settings.parameters().withPrivateData(connection.stream.record()));
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
     * Accepts a request. In a handler.
     *
     * @param request its event
     * @param place that it has until the program takes it, or it ends
     * @param acceptor is told when the connection is there, or failed, or gave way
     * @throws StreamException if the peer is no socket
     * @throws RdmaException LIMIT_REACHED if there is no memory for it. The peer is told why, in either case
     */
    static StreamConnection accept(
            StreamHome home,
            CmEvent request,
            StreamSetUp settings,
            StreamPlaces.Place place,
            Consumer<StreamConnection> acceptor)
            throws StreamException {
        CmId id = request.id();
        ByteBuffer record = ByteBuffer.wrap(request.parameters().privateData());
        try {
            settings.protocol().check(record, settings.credit().options(home.context()));
        } catch (StreamException e) {
            id.reject(StreamRefusal.bytes(settings.protocol(), e));
            throw e;
        }
        StreamConnection connection;
        try {
            connection = new StreamConnection(home, id, settings);
        } catch (RdmaException e) {
            id.reject(StreamRefusal.full(settings.protocol()));
            throw e;
        }
        connection.acceptor = acceptor;
        connection.place = place;
        place.of(connection);
        id.attach(connection);
        connection.lock.lock();
        try {
            id.accept(settings.parameters().withPrivateData(connection.stream.record()));
            connection.stream.connected(record);
            connection.memory.turn(ShareTurn.FIRST);
        } catch (StreamException | RdmaException e) {
            connection.abort();
            throw e;
        } finally {
            connection.lock.unlock();
        }
        return connection;
    }

    /**
     * A channel takes it, and knows that it is there.
     *
     * @param what is told what it can do from now on
     */
    public void attach(StreamWatcher what) {
        lock.lock();
        try {
            watcher = what;
            taken = true;
            memory.turn(ShareTurn.NEVER);
            tell();
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
                    if (failure == null) {
                        String why = StreamRefusal.sentence(
                                ByteBuffer.wrap(event.parameters().privateData()), protocol);
                        RdmaErrorCode code = event.error();
                        String sentence = why == null ? event.sentence() : why;
                        failure = () -> SocketFaults.of(code, sentence);
                    }
                    ended(event);
                }
                default -> {}
            }
            tell();
        } finally {
            lock.unlock();
        }
        if (told != null) {
            told.accept(this);
        }
        releaseIfOver();
    }

    private void established(CmEvent event) {
        if (acceptor == null) {
            try {
                stream.connected(ByteBuffer.wrap(event.parameters().privateData()));
            } catch (StreamException e) {
                failure = () -> SocketFault.PROTOCOL.exception(e.sentence());
                disconnect();
                return;
            }
        }
        established = true;
        if (acceptor != null && !gaveWay) {
            memory.turn(ShareTurn.BY_SIZE);
        }
    }

    private void ended(CmEvent event) {
        if (!established && failure == null) {
            String sentence = event.sentence();
            failure = () -> SocketFaults.of(RdmaErrorCode.CLOSED_BY_PEER, sentence);
        }
        stream.onEnded(event.error() == null);
        over = true;
        sayReturned(true);
        allSent();
    }

    private void allSent() {
        sent = true;
        Runnable told = onSent;
        if (told != null) {
            told.run();
        }
    }

    /** A completion of the queue pair. */
    void on(WorkCompletion completion) {
        lock.lock();
        try {
            if (released) {
                return;
            }
            pair.on(completion);
            sayReturned(!inPlace());
            if (stream.peerClosed()) {
                disconnect();
            }
            if (closing) {
                endIfFinished();
            } else {
                tell();
            }
        } finally {
            lock.unlock();
        }
    }

    private void tell() {
        StreamWatcher told = watcher;
        if (told != null) {
            told.set(bits());
        }
    }

    private int bits() {
        if (!taken) {
            return established || failure != null ? SelectionKey.OP_CONNECT : 0;
        }
        boolean failed = failure != null;
        boolean readable = failed || stream.readable();
        return (readable ? SelectionKey.OP_READ : 0)
                | (readable && stream.unread() == 0 ? StreamWatcher.ENDED : 0)
                | (!inPlace() && (failed || stream.writable()) ? SelectionKey.OP_WRITE : 0);
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
            if (failure != null) {
                throw failure.get();
            }
            return established;
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
            taken = established();
            tell();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return as {@link SocketEngine#read(ByteBuffer)}; 0 once the channel is closed}
     *
     * @param into where the bytes go
     * @throws IOException if there is no connection any more
     */
    public int read(ByteBuffer into) throws IOException {
        lock.lock();
        try {
            return take(buffer.to(into), into.remaining());
        } finally {
            buffer.toNothing();
            lock.unlock();
            freeUnused();
        }
    }

    /**
     * {@return as {@link SocketEngine#read(StreamSink, int)}; 0 once the channel is closed}
     *
     * @param into where the bytes go
     * @param most bytes
     * @throws IOException if there is no connection any more
     */
    public int read(StreamSink into, int most) throws IOException {
        lock.lock();
        try {
            return take(into, most);
        } finally {
            lock.unlock();
            freeUnused();
        }
    }

    private int take(StreamSink into, int most) throws IOException {
        checkFailure();
        if (closing) {
            return 0;
        }
        row = 0;
        int read = stream.read(into, most);
        tell();
        return read;
    }

    /** Not under the lock, which the thread may want that still places bytes there. */
    private void freeUnused() {
        assert !lock.isHeldByCurrentThread() : "memory is freed under the lock of the stream";
        pair.freeUnused();
    }

    /**
     * {@return as {@link SocketEngine#write(ByteBuffer)}; 0 once the channel is closed}
     *
     * @param from the bytes
     * @throws IOException if there is no connection any more
     */
    public int write(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            int before = from.remaining();
            beginInRow(before);
            int written = give(source.of(from), before);
            wroteInRow(before - written);
            return written;
        } finally {
            source.ofNothing();
            lock.unlock();
        }
    }

    /**
     * {@return as {@link SocketEngine#write(StreamSource, int)}; 0 once the channel is closed}
     *
     * @param from gives the bytes
     * @param length how many there are
     * @throws IOException if there is no connection any more
     */
    public int write(StreamSource from, int length) throws IOException {
        lock.lock();
        try {
            row = 0;
            return give(from, length);
        } finally {
            lock.unlock();
        }
    }

    private int give(StreamSource from, int length) throws IOException {
        checkFailure();
        if (closing) {
            return 0;
        }
        try {
            int written = stream.write(from, length);
            flushSoon();
            tell();
            return written;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        }
    }

    /**
     * Writes as {@link #write}, but bytes may go from where they are. They have to stay as they are as long as they are {@link #borrowed}; until then there is no other
     * write, and the bit of a write is not set.
     *
     * @param from the bytes; the position moves by as many as were taken
     * @return whether bytes are {@link #borrowed} now, these or those of a write before
     * @throws IOException if there is no connection any more
     */
    public boolean writeInPlace(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            checkFailure();
            if (!closing) {
                int before = from.remaining();
                beginInRow(before);
                int written = pair.writeInPlace(from);
                wroteInRow(before - written);
                flushSoon();
                tell();
            }
            return inPlace();
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
            freeUnused();
        }
    }

    /**
     * {@return as {@link #writeInPlace}, where the memory is registered already} The region stays as long as bytes of it are {@link #borrowed}.
     *
     * @param region of the home's domain
     * @param from the bytes: position and limit count from the region's first one
     * @throws IOException if there is no connection any more
     */
    public int writeFrom(MemoryRegion region, ByteBuffer from) throws IOException {
        lock.lock();
        try {
            checkFailure();
            if (closing) {
                return 0;
            }
            row = 0;
            int written = pair.writeFrom(region, from);
            flushSoon();
            tell();
            return written;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * As {@link SocketEngine#begin}.
     *
     * @param length in bytes; 0: as many as the write has
     */
    public void begin(long length) {
        if (!messages()) {
            return;
        }
        lock.lock();
        try {
            stream.begin(length);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether a write is a message, and a read gives bytes of one only} */
    public boolean messages() {
        return protocol == StreamProtocol.CREDITS && credit.messages();
    }

    /** {@return as {@link SocketEngine#insideMessage}} */
    public boolean insideMessage() {
        if (!messages()) {
            return false;
        }
        lock.lock();
        try {
            return stream.insideMessage();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether bytes of the program's go from where they are, and have to stay so} */
    public boolean borrowed() {
        lock.lock();
        try {
            return inPlace();
        } finally {
            lock.unlock();
        }
    }

    private boolean inPlace() {
        return !over && pair.borrowed();
    }

    /**
     * Has something done once nothing is {@link #borrowed} any more: now, or by the thread that drives the context, also after {@link #close}. Under the lock of the
     * stream: must not wait, and must not call the stream.
     *
     * @param what is done, once
     */
    public void whenReturned(Runnable what) {
        lock.lock();
        try {
            onReturned = what;
            sayReturned(!inPlace());
        } finally {
            lock.unlock();
        }
    }

    private void sayReturned(boolean all) {
        Runnable told = onReturned;
        if (all && told != null) {
            onReturned = null;
            told.run();
        }
    }

    /**
     * {@return whether so much memory is worth to be lent} Else {@link #lendOutput} and {@link #readOrLend} lend nothing.
     *
     * @param data from position to limit
     */
    public boolean wouldLend(ByteBuffer data) {
        return credit.directBytes() > 0 && data.isDirect() && data.remaining() >= credit.directBytes();
    }

    /**
     * Begins to have bytes of the program moved from where they are, if both ends have agreed on that. They are the stream's until {@link #takeBack}, and there is no other
     * write until then.
     *
     * @param from direct, from position to limit; neither is changed
     * @return whether it has begun; false: they have to be written
     * @throws IOException if there is no connection any more
     */
    public boolean lendOutput(ByteBuffer from) throws IOException {
        lock.lock();
        try {
            checkFailure();
            if (closing) {
                return false;
            }
            boolean lent = pair.lendOutput(from);
            tell();
            return lent;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return as {@link #read}, but that memory of the program may be {@link #lent} then} It is the stream's until {@link #takeBack}, and there is no other read until then.
     *
     * @param into direct, from position to limit
     * @throws IOException if there is no connection any more
     */
    public int readOrLend(ByteBuffer into) throws IOException {
        lock.lock();
        try {
            checkFailure();
            if (closing) {
                return 0;
            }
            int read = pair.readOrLend(buffer.to(into), into);
            tell();
            return read;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            buffer.toNothing();
            lock.unlock();
            freeUnused();
        }
    }

    /**
     * {@return whether memory is lent}
     *
     * @param which memory
     */
    public boolean lent(Lent which) {
        lock.lock();
        try {
            return pair.lent(which) != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes back what is lent: the peer can use it no more. Not in a handler.
     *
     * @param which memory
     * @param data what was lent; its position moves by what was moved
     * @param now also if nothing has happened to it yet
     * @return whether it is the program's again; false: the peer, or the device, is at it. Once the connection is {@link #abort}ed, it is the program's
     */
    public boolean takeBack(Lent which, ByteBuffer data, boolean now) {
        MemoryRegion region;
        lock.lock();
        try {
            if (!now && !over && failure == null && !(which == Lent.INPUT ? stream.readable() : stream.writable())) {
                return false;
            }
            int moved = over && !stream.finished() ? -1 : pair.takeBack(which);
            tell();
            if (moved < 0 && !over) {
                return false;
            }
            data.position(data.position() + Math.max(moved, 0));
            region = pair.lent(which);
            pair.forget(which);
        } finally {
            lock.unlock();
        }
        if (region != null) {
            region.close(); // not under the lock, which the thread may want that still places bytes there
        }
        return true;
    }

    /** {@return whether a write ends with an exception if both ends write, and neither reads} */
    public boolean tellsOfBothWrite() {
        return credit.mostKept() >= 0;
    }

    /** {@return how far the stream was, both ways in sum, when both ends began to wait for each other to read what they write; negative: they do not, or may} */
    public long bothWriteAt() {
        lock.lock();
        try {
            return over ? -1 : pair.bothWriteAt();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says that more follows if a write is one of many like it: a loop copies something. With {@code TCP_NODELAY} only if it can be a {@link #PIECE} of such a loop.
     */
    private void beginInRow(int length) {
        boolean rest = length > 0 && length == rowRest;
        if (!rest && (length != rowLength || System.nanoTime() - rowAt > COMBINING.toNanos())) {
            row = 0;
            rowLength = length;
        }
        if (row >= ROW_BEGINS && (combining ? rowLength <= LONGEST_OF_ROW : rowLength == PIECE)) {
            stream.moreFollows();
        }
    }

    private void wroteInRow(int rest) {
        rowRest = rest;
        if (rest == 0) {
            row++;
            rowAt = System.nanoTime();
        }
    }

    private void flushSoon() {
        if (stream.waits() && !flushing) {
            flushing = true;
            home.flushLater(this);
        }
    }

    /**
     * {@return memory that the peer may write to, once it is {@link #tell told}}
     *
     * @param memory direct, from its position to its limit
     * @param offset the peer's name for the first byte
     * @throws IOException if the peer takes no more, or there is no connection any more
     */
    public SharedRange share(ByteBuffer memory, long offset) throws IOException {
        lock.lock();
        try {
            checkFailure();
            int entry = shared.nextClearBit(0);
            int entries = maps().peerEntries();
            if (entry >= entries) {
                throw new IOException("the peer takes " + entries
                        + " ranges of memory at a time, and has as many: its MAP_SIZE, or RDMA_IOMAPSIZE, says so");
            }
            SharedRange range = new SharedRange(pair.share(memory), entry, offset);
            shared.set(entry);
            return range;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return whether the peer is told of it now; else it has to wait, as for a write}
     *
     * @param range of {@link #share}
     * @param there whether it may write to it
     * @throws IOException if no more can be sent
     */
    public boolean tell(SharedRange range, boolean there) throws IOException {
        lock.lock();
        try {
            checkFailure();
            MemoryRegion region = range.region();
            int length = there ? Math.toIntExact(region.length()) : 0;
            boolean told = maps().tell(range.entry(), range.offset(), region.address(), region.rkey(), length);
            if (told && !there) {
                shared.clear(range.entry());
            }
            tell();
            return told;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The peer cannot write there any more. Not in a handler.
     *
     * @param range of {@link #share}
     */
    public void free(SharedRange range) {
        lock.lock();
        try {
            pair.forget(range.region());
        } finally {
            lock.unlock();
        }
        range.region().close();
    }

    /**
     * {@return as {@link RsocketEngine#writeAt}; 0 once the channel is closed}
     *
     * @param offset where to, by the peer's names
     * @param from the bytes
     * @throws IOException if there is no connection any more, or the peer has told of no memory there
     */
    public int writeAt(long offset, ByteBuffer from) throws IOException {
        lock.lock();
        try {
            checkFailure();
            if (closing) {
                return 0;
            }
            row = 0;
            int written = maps().writeAt(offset, from);
            tell();
            return written;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the protocol, if it can write to memory by offsets} */
    private RsocketEngine maps() throws IOException {
        if (stream instanceof RsocketEngine rsocket) {
            return rsocket;
        }
        throw new IOException(
                "memory is shared with the peer of a stream by rsockets alone: set its option PROTOCOL to RSOCKETS");
    }

    private void checkFailure() throws IOException {
        if (failure != null) {
            throw failure.get();
        }
    }

    /**
     * {@return whether something was posted since this was asked last} It goes when the context is driven: who does not drive it soon has to {@link
     * dev.jwarp.verbs.Context#poll}.
     */
    public boolean posted() {
        return pair.posted();
    }

    /**
     * Says whether small writes may wait for others, for {@link #COMBINING} at most. Without a word they may not.
     *
     * @param yes they may
     */
    public void combine(boolean yes) {
        lock.lock();
        try {
            combining = yes;
            stream.combine(yes);
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** What waits for other bytes had its time, and goes. Who does not drive the context soon has to {@link dev.jwarp.verbs.Context#poll}. */
    public void flush() {
        lock.lock();
        try {
            flushing = false;
            if (!closing) {
                stream.flush();
                tell();
            }
        } catch (RdmaException e) {
            LOG.debug("{} ended before all was sent", remoteAddress(), e);
        } finally {
            lock.unlock();
        }
    }

    /** No more will be read. */
    public void shutdownInput() {
        lock.lock();
        try {
            stream.shutdownInput();
            tell();
        } finally {
            lock.unlock();
            freeUnused();
        }
    }

    /** No more will be written; the peer learns it behind what was. */
    public void shutdownOutput() {
        lock.lock();
        try {
            stream.shutdownOutput();
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** {@return bytes that can be read at once} */
    public int available() {
        lock.lock();
        try {
            return stream.unread();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether the peer can write on for a while if it does not hear soon what was read last, and nothing is left to be read: half of what it may is given back at a time} */
    public boolean peerHasRoom() {
        return protocol == StreamProtocol.RSOCKETS || credit.directBytes() == 0;
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

    /** {@return whether the peer's side has all that was written, and knows of the end; or the connection is no more} */
    public boolean sent() {
        return sent;
    }

    boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** The process ends: as {@link #close}, and calls of the program throw, those that go on, too. */
    void end() {
        lock.lock();
        try {
            if (!closing && failure == null) {
                failure = () -> SocketFault.RESET.exception("the process ends, and with it the connection");
                tell();
            }
        } finally {
            lock.unlock();
        }
        close();
    }

    /** {@return whether all that was written has gone, or will not any more} */
    boolean allGone() {
        lock.lock();
        try {
            return over || stream.finished() || stream.allGone();
        } finally {
            lock.unlock();
        }
    }

    /** The channel is closed: what was written is sent, and the peer is told; then it is over, and its memory is freed. */
    public void close() {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            closing = true;
            watcher = null;
            if (!over) {
                if (established) {
                    stream.close();
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
            if (gaveWay || (over && closing)) {
                return; // it is freed already, or soon
            }
            gaveWay = true;
            if (failure == null) {
                failure = () -> SocketFault.RESET.exception(
                        "the connection gave way to another one before the program took it: the backlog, or "
                                + SocketSetting.MEMORY.key() + ", was used up");
            }
            if (taken && !closing) { // at this moment
                stream.onEnded(false);
                tell();
            }
            if (over) {
                home.disconnectLater(
                        this); // the acceptor has it, whose lock is not taken here: another one's may be held
            } else if (!taken && !closing) {
                closing = true;
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
        memory.turn(stream.allGone() || stream.finished() ? ShareTurn.FIRST : ShareTurn.BY_SIZE);
        if (!established) {
            disconnect();
        } else if (stream.finished()) {
            allSent();
            if (stream.peerClosed() || stream.failed()) {
                disconnect();
            } else if (!held) {
                held = true;
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
            told = gaveWay && over && !closing ? acceptor : null;
        } finally {
            lock.unlock();
        }
        if (told != null) {
            told.accept(this);
        }
    }

    private void disconnect() {
        if (!disconnecting && !over) {
            disconnecting = true;
            id.disconnect();
        }
    }

    /**
     * Has a thread told that waits for it. After {@link #close}.
     *
     * @param what is done when all is {@link #sent}
     */
    public void whenSent(Runnable what) {
        onSent = what;
    }

    /** Ends it at once: what was not sent is lost. Not in a handler. */
    public void abort() {
        lock.lock();
        try {
            closing = true;
            watcher = null;
            over = true;
            allSent();
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
            failure = failure == null ? why : failure;
            stream.onEnded(false);
            tell(); // threads that wait learn it, too
        } finally {
            lock.unlock();
        }
        abort();
    }

    /** Frees its memory, once. Not under the lock, which the thread that drives the context may want meanwhile. */
    private void releaseIfOver() {
        lock.lock();
        try {
            if (!closing || !over || released) {
                return;
            }
            released = true;
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
            sayReturned(true);
        } finally {
            lock.unlock();
        }
    }
}
