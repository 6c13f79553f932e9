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

/** What a program writes to a connection, and whether small writes wait for others. Any thread; nothing here waits. */
public final class OutputHalf {
    private static final Logger LOG = LoggerFactory.getLogger(OutputHalf.class);

    /** Writes of a row that are sent at once; later ones are combined. */
    private static final int ROW_BEGINS = 3;

    /** Bytes: a longer write is never combined. */
    private static final int LONGEST_OF_ROW = 1 << 15;

    /** The length of the pieces that {@code FileChannel.transferTo} and most loops of the JDK write. */
    private static final int PIECE = 8192;

    private final SocketCore core;
    private final Runnable flushLater;
    private final BufferCopy source = new BufferCopy();

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

    /** What waits for other bytes goes before long. */
    private boolean flushing;

    /** Entries of the peer's map that it was told of. */
    private final BitSet shared = new BitSet();

    /** Nothing of what was written waits to be sent, nor ever will be. */
    private volatile boolean sent;

    /** A thread waits for that. */
    private volatile @Nullable Runnable onSent;

    /** Told when no bytes are borrowed any more; null: no caller waits for that. */
    private @Nullable Runnable onReturned;

    /**
     * Of a connection.
     *
     * @param flushLater has {@link #flush} called soon
     */
    OutputHalf(SocketCore core, Runnable flushLater) {
        this.core = core;
        this.flushLater = flushLater;
    }

    // ---- writes

    /**
     * Writes as many bytes as go; none once the channel is closed. Bytes that go from where they are have to stay as they are as long as they are {@link #borrowed}; until then there
     * is no other write, and the bit of a write is not set.
     *
     * @param from the bytes; the position moves by as many as were taken
     * @param inPlace whether bytes may go from where they are; else all are copied
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

    /** {@return how many bytes went: those that were gathered, and those behind them that were copied} */
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
     * @param from gives the bytes
     * @param length how many there are
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
     * {@return how many bytes were taken of memory that is registered, from where they are} The memory, and its region, stay as they are as long as bytes are {@link #borrowed}.
     *
     * @param region of the home's domain
     * @param from the bytes: position and limit count from the region's first one
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

    /** {@return the same number of bytes} Bytes that wait for further writes are flushed soon. */
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
     * @param length in bytes; 0: as many as the write has
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
     * {@return whether something was posted since this was asked last} It is sent when the context is driven: a caller that does not drive the context soon has to call {@link
     * dev.jwarp.verbs.Context#poll}.
     */
    public boolean posted() {
        return core.pair.posted();
    }

    // ---- small writes

    /**
     * Says that more follows if a write is one of many like it: a loop copies something. With {@code TCP_NODELAY} only if it can be a {@link #PIECE} of such a loop.
     */
    private void beginInRow(int length) {
        boolean rest = length > 0 && length == rowRest;
        if (!rest && (length != rowLength || System.nanoTime() - rowAt > StreamConnection.COMBINING.toNanos())) {
            row = 0;
            rowLength = length;
        }
        if (row >= ROW_BEGINS && (combining ? rowLength <= LONGEST_OF_ROW : rowLength == PIECE)) {
            core.engine.moreFollows();
        }
    }

    private int wroteInRow(int length, int bytes) {
        rowRest = length - bytes;
        if (rowRest == 0) {
            row++;
            rowAt = System.nanoTime();
        }
        return wrote(bytes);
    }

    /** Another call comes between two writes, so the writes are not those of a loop. */
    void endRow() {
        row = 0;
    }

    /**
     * Says whether small writes may wait for others, for {@link StreamConnection#COMBINING} at most. Without a word they may not.
     *
     * @param yes they may
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

    /** Sends bytes that have waited for further writes. A caller that does not drive the context soon has to call {@link dev.jwarp.verbs.Context#poll}. */
    public void flush() {
        core.lock.lock();
        try {
            flushing = false;
            if (!core.life.closed()) {
                core.engine.flush();
                core.tell();
            }
        } catch (RdmaException e) {
            LOG.debug("A connection ended before all was sent", e);
        } finally {
            core.lock.unlock();
        }
    }

    // ---- bytes that go from where they are

    /** {@return whether bytes of the program's go from where they are, and have to stay so} */
    public boolean borrowed() {
        core.lock.lock();
        try {
            return core.borrowed();
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Has something done once nothing is {@link #borrowed} any more: now, or by the thread that drives the context, also after {@link StreamConnection#close}. Under the lock of the
     * stream: must not wait, and must not call the stream.
     *
     * @param what is done, once
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

    /** Nothing is borrowed once the connection is over. */
    void sayReturned() {
        Runnable told = onReturned;
        if (told != null && !core.borrowed()) {
            onReturned = null;
            told.run();
        }
    }

    // ---- memory that the ends write to by offsets, which rsockets have

    /**
     * Memory of the program that the peer may write to by offsets, once it is told by {@link OutputHalf#tell}.
     *
     * @param region the memory
     * @param entry of the peer's map
     * @param offset the peer's name for the first byte
     */
    public record Range(MemoryRegion region, int entry, long offset) {}

    /**
     * {@return memory that the peer may write to, once it is {@link #tell told}}
     *
     * @param memory direct, from its position to its limit
     * @param offset the peer's name for the first byte
     * @throws IOException if the peer takes no more, or there is no connection any more
     */
    public Range share(ByteBuffer memory, long offset) throws IOException {
        core.lock.lock();
        try {
            core.check();
            int entry = shared.nextClearBit(0);
            int most = maps().peerEntries();
            if (entry >= most) {
                throw new IOException("the peer takes " + most
                        + " ranges of memory at a time, and has as many: its MAP_SIZE, or RDMA_IOMAPSIZE, says so");
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
     * {@return whether the peer is told of it now; else it has to wait, as for a write}
     *
     * @param range of {@link #share}
     * @param there whether it may write to it
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
     * The peer cannot write there any more. Not in a handler.
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
     * @param offset where to, by the peer's names
     * @param from the bytes
     * @throws IOException if there is no connection any more, or the peer has told of no memory there
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

    /** {@return the protocol, if it can write to memory by offsets} */
    private RsocketEngine maps() throws IOException {
        if (core.engine instanceof RsocketEngine rsocket) {
            return rsocket;
        }
        throw new IOException(
                "memory is shared with the peer of a stream by rsockets alone: set its option PROTOCOL to RSOCKETS");
    }

    // ---- its end

    /** {@return whether all that was written has gone, or will not any more} */
    boolean allGone() {
        core.lock.lock();
        try {
            return core.life.over() || core.engine.finished() || core.engine.allGone();
        } finally {
            core.lock.unlock();
        }
    }

    /** {@return whether the peer's side has received all that was written, and the end; or the connection is over} */
    public boolean sent() {
        return sent;
    }

    /**
     * Has a thread told that waits for it. After {@link StreamConnection#close}.
     *
     * @param what is done when all is {@link #sent}
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

    /** No more will be written; the peer learns it behind what was. */
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
