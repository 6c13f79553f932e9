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
 * Sends the buffers that a channel has flushed: those of a {@link JwarpByteBufAllocator} from where they are, others are copied. What goes from where it is is held here until
 * it is sent, whatever becomes of the channel. The loop's thread.
 */
final class FlushedBuffers implements ChannelOutboundBuffer.MessageProcessor {
    private final ByteBufCopy source = new ByteBufCopy();
    private final SlabRegions regions;
    private final OutputHalf to;
    private final Runnable returned;

    /** What the stream still sends from. */
    private final List<ByteBuf> lent = new ArrayList<>();

    /** Bytes that the stream took last. */
    private long taken;

    private boolean whole;

    /**
     * Of one stream.
     *
     * @param returned is told that nothing is {@link #lent} any more. Under the lock of the stream
     */
    FlushedBuffers(SlabRegions regions, OutputHalf to, Runnable returned) {
        this.regions = regions;
        this.to = to;
        this.returned = returned;
    }

    /** {@return whether the stream still sends from buffers: nothing else can be written} */
    boolean lent() {
        return !lent.isEmpty();
    }

    /**
     * Sends as much as goes. If something is {@link #lent} then, what was taken is to be {@link #removeTaken removed} when it no longer is.
     *
     * @return whether all of it was taken, up to the first one that is no buffer
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

    /** {@return whether all of the first message was taken, which is a part of a file: its bytes are copied} */
    boolean write(ChannelOutboundBuffer out, FileRegion region) throws IOException {
        long left = region.count() - region.transferred();
        if (left > 0) {
            long written = region.transferTo(new OutputChannel(to), region.transferred());
            to.flush(); // its pieces wait for each other, and no more of them follow now
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

    /** What was taken is sent, or copied. */
    void removeTaken(ChannelOutboundBuffer out) {
        out.removeBytes(taken); // ends empty ones, too
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

    /** {@return whether some of it goes from where it is} */
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
