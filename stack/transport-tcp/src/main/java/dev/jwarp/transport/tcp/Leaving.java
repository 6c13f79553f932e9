package dev.jwarp.transport.tcp;

import dev.jwarp.llp.StreamEngine.Ending;
import java.nio.ByteBuffer;

/**
 * Start-up failed with an answer to the peer (a rejection, a Terminate), or the peer rejected this side. Writes the
 * rest, closes this direction, and discards input until the peer closes too. A socket closed with unread input would
 * send RST, which can destroy data that the peer has not read.
 */
final class Leaving extends Phase {
    private boolean inputClosed;
    private boolean outputClosed;
    private long deadline = MpaEngine.NEVER;

    Leaving(MpaEngine engine) {
        super(engine);
    }

    @Override
    void receive(ByteBuffer in, long nowNanos) {
        in.position(in.limit());
    }

    @Override
    void onInputClosed(long nowNanos) {
        inputClosed = true;
        if (outputClosed) {
            engine.end(Ending.CLOSE);
        }
    }

    @Override
    void onBroken(long nowNanos) {
        engine.end(Ending.CLOSE);
    }

    @Override
    void onTimedOut(long nowNanos) {
        engine.end(Ending.CLOSE);
    }

    @Override
    void prepare(long nowNanos) {
        if (inputClosed) {
            engine.end(Ending.CLOSE);
        } else if (!outputClosed) {
            outputClosed = true;
            deadline = nowNanos + engine.factory().linger();
            engine.shutDownOutput();
        }
    }

    @Override
    void onSendTimeout(long nowNanos) {
        engine.end(Ending.ABORT);
    }

    @Override
    long nextTimeout() {
        return deadline;
    }

    @Override
    void onTimeout(long nowNanos) {
        if (nowNanos >= deadline) {
            engine.factory().counters().countShared(TcpCounter.LINGER_EXPIRED);
            engine.end(Ending.CLOSE);
        }
    }

    @Override
    void close() {}

    @Override
    void onAborted(long nowNanos) {
        // The transport is closed. If all output is written, the system delivers it; a reset could destroy it.
        engine.end(outputClosed ? Ending.CLOSE : Ending.ABORT);
    }
}
