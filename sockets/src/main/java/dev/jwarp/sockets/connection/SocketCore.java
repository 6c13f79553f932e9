package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The state that the parts of one connection share, and the lock that guards it. */
final class SocketCore {
    /**
     * Guards all fields of this class and of the parts. The thread that drives the context takes the lock for each
     * completion, so a call holds the lock only briefly: while it copies bytes or processes a message of the peer. No
     * call blocks under the lock or closes a region, which would wait for that thread.
     */
    final ReentrantLock lock = new ReentrantLock();

    final StreamSetUp settings;
    final StreamQueuePair pair;
    final SocketEngine engine;
    final SocketLife life = new SocketLife();

    /** Notified of the readiness of the connection; null once its channel is closed. */
    @Nullable
    StreamWatcher watcher;

    /** Makes the exception that each call throws from now on, with the stack of that call. */
    private @Nullable Supplier<IOException> failure;

    SocketCore(StreamSetUp settings, StreamQueuePair pair) {
        this.settings = settings;
        this.pair = pair;
        engine = pair.engine();
    }

    /** {@return whether each write is a message, and each read returns bytes of one message only} */
    boolean messages() {
        return settings.protocol() == StreamProtocol.CREDITS
                && settings.credit().messages();
    }

    /** Sets the exception that each call throws from now on, unless one is set already. */
    void fail(Supplier<IOException> why) {
        if (failure == null) {
            failure = why;
        }
    }

    boolean failed() {
        return failure != null;
    }

    void check() throws IOException {
        if (failure != null) {
            throw failure.get();
        }
    }

    /** {@return whether the program may read and write; false: it has closed its channel} */
    boolean open() throws IOException {
        check();
        return !life.closed();
    }

    /** {@return whether memory of the program is in use by sends and must not change} */
    boolean borrowed() {
        return !life.over() && engine.borrowed();
    }

    /** Notifies the watcher of the current readiness. */
    void tell() {
        StreamWatcher told = watcher;
        if (told != null) {
            told.set(bits());
        }
    }

    private int bits() {
        if (life.untaken()) {
            return life.established() || failed() ? SelectionKey.OP_CONNECT : 0;
        }
        boolean readable = failed() || engine.readable();
        return (readable ? SelectionKey.OP_READ : 0)
                | (readable && engine.unread() == 0 ? StreamWatcher.ENDED : 0)
                | (!borrowed() && (failed() || engine.writable()) ? SelectionKey.OP_WRITE : 0);
    }

    /** Closes unused regions. Not under the lock: the thread that still places bytes there may need it. */
    void freeUnused() {
        assert !lock.isHeldByCurrentThread() : "memory is freed under the lock of the stream";
        pair.freeUnused();
    }
}
