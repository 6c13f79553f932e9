package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.StreamEngine;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An engine's output as Netty takes the content of a file: it asks for the octets each time that the socket has room, so they may
 * have moved to another buffer meanwhile, and none is copied. One for each channel, used again and again; nothing to release.
 */
final class EngineRegion implements FileRegion {
    private @Nullable StreamEngine engine;
    private long count;
    private long transferred;
    private long reported;

    /** Begins a flush of {@code octets} that the engine has. */
    EngineRegion begin(StreamEngine from, long octets) {
        engine = from;
        count = octets;
        transferred = 0;
        reported = 0;
        return this;
    }

    /** {@return octets of this flush that the engine knows to be written} Begins at zero again. */
    long takeReported() {
        long octets = reported;
        reported = 0;
        return octets;
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        StreamEngine from = Objects.requireNonNull(engine);
        ByteBuffer[] buffers = from.output();
        int last = from.outputCount();
        long written = 0;
        for (int i = 0; i < last; i++) {
            written += write(target, buffers[i]);
            if (buffers[i].hasRemaining()) {
                break;
            }
        }
        transferred += written;
        if (written > 0 && transferred < count) { // a slow peer that takes some octets now and then is no stalled one
            reported += written;
            from.onWritten(written, System.nanoTime());
        }
        return written;
    }

    private static long write(WritableByteChannel target, ByteBuffer buffer) throws IOException {
        return buffer.hasRemaining() ? target.write(buffer) : 0;
    }

    @Override
    public long position() {
        return 0;
    }

    @Deprecated
    @Override
    public long transfered() {
        return transferred;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public int refCnt() {
        return 1;
    }

    @Override
    public FileRegion retain() {
        return this;
    }

    @Override
    public FileRegion retain(int increment) {
        return this;
    }

    @Override
    public FileRegion touch() {
        return this;
    }

    @Override
    public FileRegion touch(Object hint) {
        return this;
    }

    @Override
    public boolean release() {
        return false;
    }

    @Override
    public boolean release(int decrement) {
        return false;
    }
}
