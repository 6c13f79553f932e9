package dev.jwarp.tools.proxy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** One direction of a relay: moves bytes, and then the end of the stream, from one non-blocking channel to another. */
final class Way {
    static final int ROOM = 1 << 16;

    /** Most rounds per turn, so that other connections are served, too. */
    private static final int MOST_ROUNDS = 16;

    private final SocketChannel from;
    private final SocketChannel to;
    /** From position to limit: bytes that were read and not written yet. */
    private final ByteBuffer bytes;

    private long moved;
    private boolean done;

    /** @param room the buffer, of {@link #ROOM} bytes */
    Way(SocketChannel from, SocketChannel to, ByteBuffer room) {
        this.from = from;
        this.to = to;
        bytes = room.clear().limit(0);
    }

    /** {@return the buffer, to be used again after the end} */
    ByteBuffer room() {
        return bytes;
    }

    /** Moves as many bytes as both channels allow. */
    void move() throws IOException {
        for (int round = 0; round < MOST_ROUNDS && !done; round++) {
            if (bytes.hasRemaining()) {
                moved += to.write(bytes);
                if (bytes.hasRemaining()) {
                    return;
                }
            }
            int read = from.read(bytes.clear());
            bytes.flip();
            if (read == 0) {
                return;
            }
            if (read < 0) { // all bytes before the end are written
                to.shutdownOutput();
                done = true;
            }
        }
    }

    boolean wantsToRead() {
        return !done && !bytes.hasRemaining();
    }

    boolean wantsToWrite() {
        return bytes.hasRemaining();
    }

    /** {@return whether all bytes and the end have been forwarded} */
    boolean done() {
        return done;
    }

    /** {@return the number of forwarded bytes} */
    long moved() {
        return moved;
    }
}
