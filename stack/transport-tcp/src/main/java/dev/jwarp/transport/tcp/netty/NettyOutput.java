package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.StreamEngine;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way from an engine to its channel: one flush at a time. Netty does not say when a flush without a promise
 * is done, so the water marks of the channel are set so that it is writable exactly when it holds nothing. The owner is the
 * event loop.
 */
final class NettyOutput {
    private final SendBuffers sendBuffers;
    private boolean writing;
    private long inFlight;
    private @Nullable ByteBuf inFlightView;

    NettyOutput(SendBuffers sendBuffers) {
        this.sendBuffers = sendBuffers;
    }

    /** {@return whether everything given to the channel is with TCP} */
    boolean isIdle() {
        return inFlight == 0;
    }

    /** {@return whether a change of the channel's writability may end the flush; during the flush itself it does not} */
    boolean waits() {
        return !writing && inFlight > 0;
    }

    /** One flush of all that the engine has. Nothing is left of it if the channel is writable again. */
    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it, the channel's events tell
    void write(Channel out, StreamEngine engine) {
        ByteBuffer[] buffers = engine.output();
        int count = engine.outputCount();
        writing = true;
        for (int i = 0; i < count; i++) {
            ByteBuffer buffer = buffers[i];
            inFlight += buffer.remaining();
            ByteBuf view = count == 1 ? sendBuffers.viewOf(buffer) : SendBuffers.viewOnceOf(buffer);
            inFlightView = count == 1 ? view : null;
            buffer.position(buffer.limit());
            out.write(view, out.voidPromise());
        }
        out.flush();
        writing = false;
    }

    /** Tells the engine if the flush is done. */
    void finish(@Nullable Channel out, StreamEngine engine, long nowNanos) {
        if (out != null && out.isWritable() && out.isActive()) {
            long written = inFlight;
            drop();
            engine.onWritten(written, nowNanos);
        }
    }

    /** A slow peer that takes some octets now and then is no stalled one; Netty tells only when all are written. */
    void reportProgress(StreamEngine engine, long nowNanos) {
        ByteBuf view = inFlightView;
        long left = view == null ? inFlight : view.readableBytes();
        if (left < inFlight) {
            long written = inFlight - left;
            inFlight = left;
            engine.onWritten(written, nowNanos);
        }
    }

    /** The channel is given up, and what it still holds with it. */
    void drop() {
        inFlight = 0;
        inFlightView = null;
    }
}
