package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.StreamEngine;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way from an engine to its channel: one flush at a time. Netty does not say when a flush without a promise
 * is done, so the water marks of the channel are set so that it is writable exactly when it holds nothing. The owner is the
 * event loop.
 */
final class NettyOutput {
    private final EngineRegion region = new EngineRegion();
    private boolean writing;
    private boolean held;
    private long inFlight;

    /** {@return whether everything given to the channel is with TCP} */
    boolean isIdle() {
        return inFlight == 0;
    }

    /** {@return whether a change of the channel's writability may end the flush; during the flush itself it does not} */
    boolean waits() {
        return !writing && inFlight > 0;
    }

    /** {@return whether Netty has the engine's own buffers; else it asks for them each time it writes} */
    boolean isHeld() {
        return held && inFlight > 0;
    }

    /** One flush of all that the engine has. Nothing is left of it if the channel is writable again. */
    void write(Channel out, StreamEngine engine) {
        ByteBuffer[] buffers = engine.output();
        int count = engine.outputCount();
        writing = true;
        try {
            writeAll(out, engine, buffers, count);
        } finally {
            writing = false;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it, the channel's events tell
    private void writeAll(Channel out, StreamEngine engine, ByteBuffer[] buffers, int count) {
        for (int i = 0; i < count; i++) {
            inFlight += buffers[i].remaining();
        }
        held = count > 1; // many buffers in one system call
        if (held) {
            for (int i = 0; i < count; i++) {
                out.write(Unpooled.wrappedBuffer(buffers[i]), out.voidPromise());
                buffers[i].position(buffers[i].limit());
            }
        } else {
            out.write(region.begin(engine, inFlight), out.voidPromise());
        }
        out.flush();
    }

    /** Tells the engine if the flush is done. */
    void finish(@Nullable Channel out, StreamEngine engine, long nowNanos) {
        if (out != null && out.isWritable() && out.isActive()) {
            long written = inFlight - region.takeReported();
            drop();
            engine.onWritten(written, nowNanos);
        }
    }

    /** The channel is given up, and what it still holds with it. */
    void drop() {
        inFlight = 0;
        region.takeReported();
    }
}
