package dev.jwarp.tools.proxy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Bytes that go from one channel to the other one, and then the end. Neither blocks. */
final class Way {
    static final int ROOM = 1 << 16;

    /** More is for the next time: others have their turn. */
    private static final int MOST_ROUNDS = 16;

    private final SocketChannel from;
    private final SocketChannel to;
    /** From position to limit: read, and not written. */
    private final ByteBuffer bytes;

    private long moved;
    private boolean done;

    /** @param room for bytes under way, {@link #ROOM} */
    Way(SocketChannel from, SocketChannel to, ByteBuffer room) {
        this.from = from;
        this.to = to;
        bytes = room.clear().limit(0);
    }

    /** {@return its memory, once it is over} */
    ByteBuffer room() {
        return bytes;
    }

    /** Moves what goes. */
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
            if (read < 0) { // and all that was before has gone
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

    /** {@return whether all has gone, and the end too} */
    boolean done() {
        return done;
    }

    /** {@return how many bytes have gone} */
    long moved() {
        return moved;
    }
}
