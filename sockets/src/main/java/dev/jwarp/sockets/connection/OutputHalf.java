package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.BufferCopy;
import dev.jwarp.sockets.stream.RsocketEngine;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamSource;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The write side of a connection, including the combining of small writes. Any thread; no call blocks. */
public final class OutputHalf {
    private static final Logger LOG = LoggerFactory.getLogger(OutputHalf.class);

    /** Number of writes at the beginning of a series that are sent at once; later writes of the series are combined. */
    private static final int ROW_BEGINS = 3;

    /** Maximum of bytes of a write that is combined. */
    private static final int LONGEST_OF_ROW = 1 << 15;

    /** The length of the pieces that {@code FileChannel.transferTo} and most loops of the JDK write. */
    private static final int PIECE = 8192;

    private final SocketCore core;
    private final Runnable flushLater;
    private final BufferCopy source = new BufferCopy();

    /** Whether the program allows small writes to wait for more bytes. */
    private boolean combining;

    /** Number of successive writes of one length: a series. A pause ends a series, except after its first write. */
    private int row;

    /** Bytes of each write of the series. */
    private int rowLength;

    /** Time at which the last write but the first of the series was completely accepted. */
    private long rowAt;

    /** Bytes of the last write that were not accepted. */
    private int rowRest;

    /** Whether a later {@link #flush} is scheduled. */
    private boolean flushing;

    /** Entries of the peer's I/O map that are in use. */
    private final BitSet shared = new BitSet();

    /** Whether everything that was written is sent, or never will be. */
    private volatile boolean sent;

    /** Runs when {@link #sent} becomes true. */
    private volatile @Nullable Runnable onSent;

    /** Runs when no bytes are borrowed any more; null if no caller waits for that. */
    private @Nullable Runnable onReturned;

    /**
     * Made for a connection.
     *
     * @param flushLater schedules a call of {@link #flush}
     */
    OutputHalf(SocketCore core, Runnable flushLater) {
        this.core = core;
        this.flushLater = flushLater;
    }

    // ---- writes

    /**
     * Writes as many bytes as possible; none once the channel is closed. Bytes that are sent without a copy must not
     * change while they are {@link #borrowed}; during that time there is no other write, and the channel does not
     * become writable.
     *
     * @param from the bytes; the position moves by the accepted bytes
     * @param inPlace whether bytes may be sent without a copy
     * @return whether bytes are {@link #borrowed} now
     * @throws IOException if there is no connection any more
     */
    public boolean write(ByteBuffer from, boolean inPlace) throws IOException {
        core.lock.lock();
        try {
            if (core.open()) {
                int length = from.remaining();
                beginInRow(length);
                wroteInRow(length, copy(inPlace ? core.pair.gather(from) : 0, from));
            }
            return inPlace && core.borrowed();
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
            if (inPlace) {
                core.freeUnused();
            }
        }
    }

    /** {@return the number of accepted bytes: the gathered bytes and the copied bytes after them} */
    private int copy(int gathered, ByteBuffer from) throws IOException {
        if (gathered > 0 && !from.hasRemaining()) {
            return gathered;
        }
        try {
            return gathered + core.engine.write(source.of(from), from.remaining());
        } finally {
            source.forget();
        }
    }

    /**
     * {@return as {@link SocketEngine#write(StreamSource, int)}; 0 once the channel is closed}
     *
     * @param from source of the bytes
     * @param length number of bytes
     * @throws IOException if there is no connection any more
     */
    public int write(StreamSource from, int length) throws IOException {
        core.lock.lock();
        try {
            endRow();
            return core.open() ? wrote(core.engine.write(from, length)) : 0;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return the number of accepted bytes of registered memory, which are sent without a copy} The memory must not
     * change, and its region must not be closed, while bytes are {@link #borrowed}.
     *
     * @param region of the protection domain of the {@link StreamHome}
     * @param from the bytes; position and limit count from the first byte of the region
     * @throws IOException if there is no connection any more
     */
    public int writeFrom(MemoryRegion region, ByteBuffer from) throws IOException {
        core.lock.lock();
        try {
            endRow();
            return core.open() ? wrote(copy(core.pair.gather(region, from), from)) : 0;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /** {@return {@code bytes}} Schedules a flush for bytes that wait for further writes. */
    private int wrote(int bytes) {
        if (core.engine.waits() && !flushing) {
            flushing = true;
            flushLater.run();
        }
        core.tell();
        return bytes;
    }

    /**
     * As {@link SocketEngine#begin}.
     *
     * @param length in bytes; 0: the length of the write
     */
    public void begin(long length) {
        if (!core.messages()) {
            return;
        }
        core.lock.lock();
        try {
            core.engine.begin(length);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return whether a work request was posted since the last call} It is sent when the context is driven: a caller
     * that does not drive the context soon must call {@link dev.jwarp.verbs.Context#poll}.
     */
    public boolean posted() {
        return core.pair.posted();
    }

    // ---- small writes

    /**
     * Announces further bytes to the engine if a write belongs to a series of equal writes, as of a loop that copies a
     * file. With {@code TCP_NODELAY} only for writes of {@link #PIECE} bytes.
     */
    private void beginInRow(int length) {
        boolean rest = length > 0 && length == rowRest;
        if (!rest && (length != rowLength || paused())) {
            row = 0;
            rowLength = length;
        }
        if (row >= ROW_BEGINS && (combining ? rowLength <= LONGEST_OF_ROW : rowLength == PIECE)) {
            core.engine.moreFollows();
        }
    }

    private int wroteInRow(int length, int bytes) {
        rowRest = length - bytes;
        if (rowRest == 0 && row++ > 0) {
            rowAt = System.nanoTime();
        }
        return wrote(bytes);
    }

    /** {@return whether a pause ends the series} The first write of a series reads no clock: most stay alone. */
    private boolean paused() {
        return row > 1 && System.nanoTime() - rowAt > StreamConnection.COMBINING.toNanos();
    }

    /** Ends the series, because another call came between two writes. */
    void endRow() {
        row = 0;
    }

    /**
     * Sets whether small writes may wait for further bytes, at most for {@link StreamConnection#COMBINING}. By default
     * they do not wait.
     *
     * @param yes whether small writes may wait
     */
    public void combine(boolean yes) {
        core.lock.lock();
        try {
            combining = yes;
            core.engine.combine(yes);
            core.tell();
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Sends bytes that have waited for further writes. A caller that does not drive the context soon must call {@link
     * dev.jwarp.verbs.Context#poll}.
     */
    public void flush() {
        core.lock.lock();
        try {
            flushing = false;
            if (!core.life.closed()) {
                core.engine.flush();
                core.tell();
            }
        } catch (RdmaException e) {
            LOG.debug("A connection ended before all bytes were sent", e);
        } finally {
            core.lock.unlock();
        }
    }

    // ---- bytes that are sent without a copy

    /** {@return whether memory of the program is in use by sends and must not change} */
    public boolean borrowed() {
        core.lock.lock();
        try {
            return core.borrowed();
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Runs an action when no bytes are {@link #borrowed}: now, or later in the thread that drives the context, also
     * after {@link StreamConnection#close}.
     *
     * @param what runs once, under the lock of the stream; must not block, and must not call the stream
     */
    public void whenReturned(Runnable what) {
        core.lock.lock();
        try {
            onReturned = what;
            sayReturned();
        } finally {
            core.lock.unlock();
        }
    }

    /** Runs the action of {@link #whenReturned} if no bytes are borrowed; none are once the connection is over. */
    void sayReturned() {
        Runnable told = onReturned;
        if (told != null && !core.borrowed()) {
            onReturned = null;
            told.run();
        }
    }

    // ---- shared memory that the ends write to by offsets, of rsockets only

    /**
     * Memory of the program that the peer may write to by offsets after {@link OutputHalf#tell}.
     *
     * @param region the memory
     * @param entry index in the peer's I/O map
     * @param offset by which the peer addresses the first byte
     */
    public record Range(MemoryRegion region, int entry, long offset) {}

    /**
     * {@return a range of memory that the peer may write to after {@link #tell}}
     *
     * @param memory direct, from its position to its limit
     * @param offset by which the peer addresses the first byte
     * @throws IOException if the peer accepts no more ranges, or there is no connection any more
     */
    public Range share(ByteBuffer memory, long offset) throws IOException {
        core.lock.lock();
        try {
            core.check();
            int entry = shared.nextClearBit(0);
            int most = maps().peerEntries();
            if (entry >= most) {
                throw new IOException("the peer accepts " + most
                        + " ranges of memory at a time, and all are in use: raise its MAP_SIZE, or RDMA_IOMAPSIZE");
            }
            Range range = new Range(core.pair.share(memory), entry, offset);
            shared.set(entry);
            return range;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return whether the message to the peer is posted; false: the caller must wait, as for a write}
     *
     * @param range of {@link #share}
     * @param there whether the peer may write to the range from now on
     * @throws IOException if no more can be sent
     */
    public boolean tell(Range range, boolean there) throws IOException {
        core.lock.lock();
        try {
            core.check();
            MemoryRegion region = range.region();
            int length = there ? Math.toIntExact(region.length()) : 0;
            boolean told = maps().tell(range.entry(), range.offset(), region.address(), region.rkey(), length);
            if (told && !there) {
                shared.clear(range.entry());
            }
            core.tell();
            return told;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Closes the range: the peer cannot write there any more. Not in a handler.
     *
     * @param range of {@link #share}
     */
    public void free(Range range) {
        core.pair.forget(range.region());
        range.region().close();
    }

    /**
     * {@return as {@link RsocketEngine#writeAt}; 0 once the channel is closed}
     *
     * @param offset of the destination in the memory that the peer has shared
     * @param from the bytes
     * @throws IOException if there is no connection any more, or the peer has shared no memory at the offset
     */
    public int writeAt(long offset, ByteBuffer from) throws IOException {
        core.lock.lock();
        try {
            if (!core.open()) {
                return 0;
            }
            endRow();
            int written = maps().writeAt(offset, from);
            core.tell();
            return written;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /** {@return the engine, if its protocol has shared memory} */
    private RsocketEngine maps() throws IOException {
        if (core.engine instanceof RsocketEngine rsocket) {
            return rsocket;
        }
        throw new IOException(
                "only a stream with rsockets can share memory with its peer: set its option PROTOCOL to RSOCKETS");
    }

    // ---- end

    /** {@return whether everything that was written is sent, or never will be} */
    boolean allGone() {
        core.lock.lock();
        try {
            return core.life.over() || core.engine.finished() || core.engine.allGone();
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return whether the peer's side has received everything that was written, and the end of the stream; true if the
     * connection is over}
     */
    public boolean sent() {
        return sent;
    }

    /**
     * Sets an action for a thread that waits. After {@link StreamConnection#close}.
     *
     * @param what runs when {@link #sent} becomes true
     */
    public void whenSent(Runnable what) {
        onSent = what;
    }

    void allSent() {
        sent = true;
        Runnable told = onSent;
        if (told != null) {
            told.run();
        }
    }

    /** Shuts down the output: the peer gets the end of the stream after the bytes that were written. */
    public void shutdown() {
        core.lock.lock();
        try {
            core.engine.shutdownOutput();
            core.tell();
        } finally {
            core.lock.unlock();
        }
    }
}
