package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.BufferCopy;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Memory that a program lends to a connection, whose bytes are moved from where they are, or to where they are wanted, if both ends have agreed on that. It is the
 * connection's until {@link #takeBack}; there is no other write, or read, until then. Any thread; nothing here waits.
 */
public final class LentMemory {
    /** Memory of the program that belongs to a stream for the time of a call. */
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
     * {@return whether a buffer is large enough to be lent} A smaller buffer is lent neither by {@link #lendOutput} nor by {@link #readOrLend}.
     *
     * @param data from position to limit
     */
    public boolean wouldLend(ByteBuffer data) {
        return credit.directBytes() > 0 && data.isDirect() && data.remaining() >= credit.directBytes();
    }

    /**
     * Begins to have bytes of the program moved from where they are.
     *
     * @param from direct, from position to limit; neither is changed
     * @return whether it has begun; false: they have to be written
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
     * {@return as {@link InputHalf#read(ByteBuffer)}, but that the memory may be {@link #lent} then}
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
     * Takes back memory that is lent, so that the peer can no longer use it. Not in a handler.
     *
     * @param which memory
     * @param data what was lent; its position moves by what was moved
     * @param now also if nothing has happened to it yet
     * @return whether it is the program's again; false: the peer, or the device, is at it. Once the connection is {@link StreamConnection#abort}ed, it is the program's
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
        core.lock.lock();
        try {
            return core.life.over() ? -1 : core.pair.bothWriteAt();
        } finally {
            core.lock.unlock();
        }
    }
}
