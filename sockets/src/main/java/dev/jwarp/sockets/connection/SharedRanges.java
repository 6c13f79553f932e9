package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.RsocketEngine;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Memory of both programs that the other end writes to by offsets, which rsockets have. Any thread; nothing here waits. */
public final class SharedRanges {
    private final SocketCore core;
    private final OutputHalf output;

    /** Entries of the peer's map that it was told of. */
    private final BitSet entries = new BitSet();

    /**
     * Memory of the program that the peer may write to by offsets, once it is told by {@link SharedRanges#tell}.
     *
     * @param region the memory
     * @param entry of the peer's map
     * @param offset the peer's name for the first byte
     */
    public record Range(MemoryRegion region, int entry, long offset) {}

    SharedRanges(SocketCore core, OutputHalf output) {
        this.core = core;
        this.output = output;
    }

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
            int entry = entries.nextClearBit(0);
            int most = maps().peerEntries();
            if (entry >= most) {
                throw new IOException("the peer takes " + most
                        + " ranges of memory at a time, and has as many: its MAP_SIZE, or RDMA_IOMAPSIZE, says so");
            }
            Range range = new Range(core.pair.share(memory), entry, offset);
            entries.set(entry);
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
                entries.clear(range.entry());
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
            output.endRow();
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
        if (core.stream instanceof RsocketEngine rsocket) {
            return rsocket;
        }
        throw new IOException(
                "memory is shared with the peer of a stream by rsockets alone: set its option PROTOCOL to RSOCKETS");
    }
}
