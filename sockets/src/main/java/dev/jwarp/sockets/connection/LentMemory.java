package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.BufferCopy;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Memory that a program lends to a connection, so that bytes are moved from it or to it without a copy, if both ends
 * have agreed on that. The connection owns the memory until {@link #takeBack}; until then there is no other write, or
 * no other read. Any thread; no call blocks.
 */
public final class LentMemory {
    /** The direction in which the bytes of lent memory move. */
    public enum Direction {
        /** Bytes are moved to it. */
        INPUT,
        /** Bytes are moved from it. */
        OUTPUT
    }

    private final SocketCore core;
    private final CreditSetUp credit;
    private final BufferCopy buffer = new BufferCopy();

    LentMemory(SocketCore core) {
        this.core = core;
        credit = core.settings.credit();
    }

    /**
     * {@return whether a buffer is direct and large enough to be lent} {@link #lendOutput} and {@link #readOrLend} lend
     * no other buffer.
     *
     * @param data from position to limit
     */
    public boolean wouldLend(ByteBuffer data) {
        return credit.directBytes() > 0 && data.isDirect() && data.remaining() >= credit.directBytes();
    }

    /**
     * Lends memory whose bytes are to be sent.
     *
     * @param from direct, from position to limit; neither is changed
     * @return whether the memory is lent; false: the bytes must be written
     * @throws IOException if there is no connection any more
     */
    public boolean lendOutput(ByteBuffer from) throws IOException {
        core.lock.lock();
        try {
            if (!core.open()) {
                return false;
            }
            boolean lent = core.pair.lendOutput(from);
            core.tell();
            return lent;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return as {@link InputHalf#read(ByteBuffer)}} The memory may be {@link #lent} after the call.
     *
     * @param into direct, from position to limit
     * @throws IOException if there is no connection any more
     */
    public int readOrLend(ByteBuffer into) throws IOException {
        core.lock.lock();
        try {
            if (!core.open()) {
                return 0;
            }
            int read = core.pair.readOrLend(buffer.of(into), into);
            core.tell();
            return read;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            buffer.forget();
            core.lock.unlock();
            core.freeUnused();
        }
    }

    /**
     * {@return whether memory is lent}
     *
     * @param which memory
     */
    public boolean lent(Direction which) {
        core.lock.lock();
        try {
            return core.pair.lent(which) != null;
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * Takes back lent memory; after success the peer can no longer use it. Not in a handler.
     *
     * @param which memory
     * @param data the lent buffer; its position moves by the bytes that were moved
     * @param now take the memory back even if no bytes were moved yet
     * @return whether the program owns the memory again; false: the peer or the device still uses it. Always true after
     *     {@link StreamConnection#abort}
     */
    public boolean takeBack(Direction which, ByteBuffer data, boolean now) {
        MemoryRegion region;
        core.lock.lock();
        try {
            boolean over = core.life.over();
            boolean moved = which == Direction.INPUT ? core.engine.readable() : core.engine.writable();
            if (!now && !over && !core.failed() && !moved) {
                return false;
            }
            int bytes = over && !core.engine.finished() ? -1 : core.pair.takeBack(which);
            core.tell();
            if (bytes < 0 && !over) {
                return false;
            }
            data.position(data.position() + Math.max(bytes, 0));
            region = core.pair.lent(which);
            core.pair.forget(which);
        } finally {
            core.lock.unlock();
        }
        if (region != null) {
            region.close(); // not under the lock: the thread that still places bytes there may need it
        }
        return true;
    }

    /** {@return whether a write throws if both ends write and neither reads} */
    public boolean tellsOfBothWrite() {
        return credit.mostKept() >= 0;
    }

    /**
     * {@return the position of the stream, as the sum of both directions, at which both ends began to wait for each
     * other to read; negative: they do not wait for each other, or this end is set to wait}
     */
    public long bothWriteAt() {
        core.lock.lock();
        try {
            return core.life.over() ? -1 : core.pair.bothWriteAt();
        } finally {
            core.lock.unlock();
        }
    }
}
