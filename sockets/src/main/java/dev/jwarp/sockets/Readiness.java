package dev.jwarp.sockets;

import dev.jwarp.verbs.ProgressCondition;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.Arrays;

/**
 * What a channel can do now without waiting, in the bits of {@link SelectionKey}; who waits for it, threads and keys, is told. Bits are set under the lock of
 * what they are about, and read by any thread.
 */
final class Readiness {
    /** What a thread waits for that takes: bytes, or a connection. */
    static final int INPUT = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT;
    /** What a thread waits for that gives. */
    static final int OUTPUT = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

    private static final RdmaSelectionKey[] NONE = {};

    private final SocketContext sockets;
    private final ProgressCondition input;
    private final ProgressCondition output;
    private volatile int bits;
    private volatile boolean closed;
    private volatile RdmaSelectionKey[] keys = NONE;

    Readiness(SocketContext sockets) {
        this.sockets = sockets;
        input = sockets.newCondition(() -> closed || (bits & INPUT) != 0);
        output = sockets.newCondition(() -> closed || (bits & OUTPUT) != 0);
    }

    int bits() {
        return bits;
    }

    /** Says what can be done now. Under the lock of what it is about. */
    void set(int now) {
        int fresh = now & ~bits;
        bits = now;
        if (fresh != 0) {
            tell(fresh);
        }
    }

    private void tell(int fresh) {
        if ((fresh & INPUT) != 0) {
            input.signal();
        }
        if ((fresh & OUTPUT) != 0) {
            output.signal();
        }
        for (RdmaSelectionKey key : keys) {
            key.mayBeReady();
        }
    }

    /** Waits until a bit of {@link #INPUT} is set. Returns early if the time is over, the channel is closed, or the thread is interrupted. */
    void awaitInput(Duration timeout) {
        sockets.await(input, timeout);
    }

    /** The like for {@link #OUTPUT}. */
    void awaitOutput(Duration timeout) {
        sockets.await(output, timeout);
    }

    /** Threads that wait come back: the channel is closed. */
    void close() {
        closed = true;
        input.close();
        output.close();
    }

    synchronized void add(RdmaSelectionKey key) {
        RdmaSelectionKey[] more = Arrays.copyOf(keys, keys.length + 1);
        more[keys.length] = key;
        keys = more;
    }

    synchronized void remove(RdmaSelectionKey key) {
        keys = Arrays.stream(keys).filter(k -> k != key).toArray(RdmaSelectionKey[]::new);
    }
}
