package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.BufferCopy;
import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.sockets.stream.StreamSink;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a program reads of a connection. Any thread; nothing here waits. */
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
     * @param into where the bytes go
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
     * @param into where the bytes go
     * @param most bytes
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
        int read = core.engine.read(into, most);
        core.tell();
        return read;
    }

    /** {@return whether a write is a message, and a read gives bytes of one only} */
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

    /** {@return whether the peer can write on for a while if it does not hear soon what was read last, and nothing is left to be read: half of what it may is given back at a time} */
    public boolean peerHasRoom() {
        return core.settings.protocol() == StreamProtocol.RSOCKETS
                || core.settings.credit().directBytes() == 0;
    }

    /** No more will be read. */
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
