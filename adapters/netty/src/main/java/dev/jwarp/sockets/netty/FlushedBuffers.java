package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.OutputHalf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the flushed buffers of a channel: those of a {@link JwarpByteBufAllocator} without a copy (zero copy), others
 * with a copy. A zero-copy buffer is retained until it is sent, whatever becomes of the channel. The loop's thread.
 */
final class FlushedBuffers implements ChannelOutboundBuffer.MessageProcessor {
    private final ByteBufCopy source = new ByteBufCopy();
    private final SlabRegions regions;
    private final OutputHalf to;
    private final Runnable returned;

    /** The zero-copy buffers from which the stream still sends. */
    private final List<ByteBuf> lent = new ArrayList<>();

    /** The bytes that the stream accepted last. */
    private long taken;

    private boolean whole;

    /**
     * For one stream.
     *
     * @param returned called when no buffer is {@link #lent} any more, under the lock of the stream
     */
    FlushedBuffers(SlabRegions regions, OutputHalf to, Runnable returned) {
        this.regions = regions;
        this.to = to;
        this.returned = returned;
    }

    /** {@return whether the stream still sends from buffers; if so, nothing else can be written} */
    boolean lent() {
        return !lent.isEmpty();
    }

    /**
     * Sends as much as the stream accepts. If buffers are {@link #lent} afterwards, the accepted bytes are to be {@link
     * #removeTaken removed} when they no longer are.
     *
     * @return whether all messages up to the first one that is no buffer were accepted
     */
    boolean write(ChannelOutboundBuffer out) throws Exception {
        taken = 0;
        whole = true;
        try {
            out.forEachFlushedMessage(this);
        } finally {
            if (lent()) {
                to.whenReturned(this::release);
            } else {
                removeTaken(out);
            }
        }
        return whole;
    }

    /** {@return whether all of the first message, a part of a file, was accepted} The bytes are copied. */
    boolean write(ChannelOutboundBuffer out, FileRegion region) throws IOException {
        long left = region.count() - region.transferred();
        if (left > 0) {
            long written = region.transferTo(new OutputChannel(to), region.transferred());
            to.flush(); // small pieces wait for further ones, which do not follow now
            out.progress(written);
            left = region.count() - region.transferred();
        }
        if (left <= 0) {
            out.remove();
        }
        return left <= 0;
    }

    private record OutputChannel(OutputHalf to) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer from) throws IOException {
            int before = from.position();
            to.write(from, false);
            return from.position() - before;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** Removes the accepted bytes, which were sent or copied. */
    void removeTaken(ChannelOutboundBuffer out) {
        out.removeBytes(taken); // also removes empty messages
        taken = 0;
    }

    private void release() {
        lent.forEach(ByteBuf::release);
        lent.clear();
        returned.run();
    }

    @Override
    public boolean processMessage(Object message) throws IOException {
        if (!(message instanceof ByteBuf buffer)) {
            return false;
        }
        int count = lent.size();
        buffer.retain();
        lent.add(buffer);
        if (!send(buffer)) {
            lent.remove(count);
            buffer.release();
        }
        return whole;
    }

    /** {@return whether a part of the buffer is sent without a copy} */
    private boolean send(ByteBuf buffer) throws IOException {
        if (buffer instanceof CompositeByteBuf composite && composite.numComponents() > 1) {
            boolean some = false;
            for (ByteBuf part : composite.decompose(composite.readerIndex(), composite.readableBytes())) {
                some |= whole && send(part);
            }
            return some;
        }
        int length = buffer.readableBytes();
        SlabByteBuf own = length < JwarpByteBufAllocator.SMALLEST ? null : SlabByteBuf.behind(buffer);
        int offset = own == null ? -1 : own.offset(buffer);
        SlabRegions.SlabRegion there = own == null || offset < 0 ? null : regions.of(own.slab());
        if (there == null) {
            copy(buffer, length);
            return false;
        }
        ByteBuffer from = there.memory().clear().position(offset).limit(offset + length);
        int some = to.writeFrom(there.region(), from);
        taken += some;
        whole = !from.hasRemaining();
        return some > 0;
    }

    private void copy(ByteBuf buffer, int length) throws IOException {
        int some = to.write(source.of(buffer), length);
        taken += some;
        whole = some == length;
    }
}
