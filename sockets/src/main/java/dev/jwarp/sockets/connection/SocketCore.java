package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.SocketEngine;
import dev.jwarp.sockets.stream.StreamProtocol;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the jobs of one connection share, and the lock that guards it. */
final class SocketCore {
    /**
     * Guards all that is here, and the fields of each job. The thread that drives the context takes the lock for each completion, so a call holds the lock for a moment
     * only: while bytes are copied, or the peer's word is taken. Under the lock no call waits, and none closes a region, which would wait for that thread.
     */
    final ReentrantLock lock = new ReentrantLock();

    final StreamSetUp settings;
    final StreamQueuePair pair;
    final SocketEngine engine;
    final SocketLife life = new SocketLife();

    /** What the connection can do is told there; null once its channel is closed. */
    @Nullable
    StreamWatcher watcher;

    /** Makes what each call throws from now on, with the stack of that call. */
    private @Nullable Supplier<IOException> failure;

    SocketCore(StreamSetUp settings, StreamQueuePair pair) {
        this.settings = settings;
        this.pair = pair;
        engine = pair.engine();
    }

    /** {@return whether a write is a message, and a read gives bytes of one only} */
    boolean messages() {
        return settings.protocol() == StreamProtocol.CREDITS
                && settings.credit().messages();
    }

    /** Each call throws that from now on, if none is to throw something else already. */
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

    /** {@return whether bytes of the program's go from where they are, and have to stay so} */
    boolean borrowed() {
        return !life.over() && engine.borrowed();
    }

    /** It may be able to do something else than before. */
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

    /** Frees what calls have left. Not under the lock, which the thread may want that still places bytes there. */
    void freeUnused() {
        assert !lock.isHeldByCurrentThread() : "memory is freed under the lock of the stream";
        pair.freeUnused();
    }
}
