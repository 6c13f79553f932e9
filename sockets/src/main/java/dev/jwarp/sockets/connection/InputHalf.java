package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.BufferCopy;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.sockets.stream.StreamSink;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The read side of a connection. Any thread; no call blocks. */
public final class InputHalf {
    private final SocketCore core;
    private final OutputHalf output;
    private final BufferCopy buffer = new BufferCopy();

    InputHalf(SocketCore core, OutputHalf output) {
        this.core = core;
        this.output = output;
    }

    /**
     * {@return as {@link SocketEngine#read(ByteBuffer)}; 0 once the channel is closed}
     *
     * @param into destination of the bytes
     * @throws IOException if there is no connection any more
     */
    public int read(ByteBuffer into) throws IOException {
        core.lock.lock();
        try {
            return take(buffer.of(into), into.remaining());
        } finally {
            buffer.forget();
            core.lock.unlock();
            core.freeUnused();
        }
    }

    /**
     * {@return as {@link SocketEngine#read(StreamSink, int)}; 0 once the channel is closed}
     *
     * @param into destination of the bytes
     * @param most maximum of bytes
     * @throws IOException if there is no connection any more
     */
    public int read(StreamSink into, int most) throws IOException {
        core.lock.lock();
        try {
            return take(into, most);
        } finally {
            core.lock.unlock();
            core.freeUnused();
        }
    }

    private int take(StreamSink into, int most) throws IOException {
        if (!core.open()) {
            return 0;
        }
        output.endRow();
        boolean held = core.engine.waits();
        int read = core.engine.read(into, most);
        if (read != 0 || held) { // otherwise nothing has changed
            core.tell();
        }
        return read;
    }

    /** {@return whether each write is a message, and each read returns bytes of one message only} */
    public boolean messages() {
        return core.messages();
    }

    /** {@return as {@link SocketEngine#insideMessage}} */
    public boolean insideMessage() {
        if (!core.messages()) {
            return false;
        }
        core.lock.lock();
        try {
            return core.engine.insideMessage();
        } finally {
            core.lock.unlock();
        }
    }

    /** {@return bytes that can be read at once} */
    public int available() {
        core.lock.lock();
        try {
            return core.engine.unread();
        } finally {
            core.lock.unlock();
        }
    }

    /**
     * {@return whether the peer can continue to write although the credits of the last read bytes reach it late} True
     * unless the stream has zero-copy data: credits are returned when half of them are free, so the peer still has the
     * other half.
     */
    public boolean peerHasRoom() {
        return core.settings.protocol() == StreamProtocol.RSOCKETS
                || core.settings.credit().directBytes() == 0;
    }

    /** Shuts down the input. */
    public void shutdown() {
        core.lock.lock();
        try {
            core.engine.shutdownInput();
            core.tell();
        } finally {
            core.lock.unlock();
            core.freeUnused();
        }
    }
}
