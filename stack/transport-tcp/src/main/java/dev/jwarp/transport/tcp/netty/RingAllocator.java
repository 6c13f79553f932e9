package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.StreamEngine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Has a channel read into the buffer of its event loop, which every channel of the loop uses in turn: what is read is
 * handled before the next read, so no octet is copied on its way to the engine, and idle connections need no buffer.
 */
final class RingAllocator implements RecvByteBufAllocator {
    /** Reads of full buffers before other channels get their turn. */
    private static final int READS_A_TURN = 4;

    private final ByteBuf ring;
    private final StreamEngine engine;

    /** For a channel of an event loop whose buffer this is; the engine says how much is to be read. */
    RingAllocator(ByteBuf ring, StreamEngine engine) {
        this.ring = ring;
        this.engine = engine;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new RingHandle(ring, engine);
    }

    private static final class RingHandle implements ExtendedHandle {
        private final ByteBuf ring;
        private final StreamEngine engine;

        /** What the engine wants next; 0 if it is to be asked. */
        private int quota;

        private int reads;
        private int attempted;
        private int last;

        RingHandle(ByteBuf ring, StreamEngine engine) {
            this.ring = ring;
            this.engine = engine;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            int most = quota == 0 ? engine.readQuota(ring.capacity(), true) : quota;
            quota = 0;
            // Less than all is the end of the buffer.
            int from = ring.capacity() - most;
            return ring.setIndex(from, from).retain();
        }

        @Override
        public int guess() {
            return ring.capacity();
        }

        @Override
        public void reset(ChannelConfig config) {
            reads = 0;
            last = 0;
            quota = 0;
        }

        @Override
        public void incMessagesRead(int numMessages) {
            reads += numMessages;
        }

        @Override
        public void lastBytesRead(int bytes) {
            last = bytes;
        }

        @Override
        public int lastBytesRead() {
            return last;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        /** A buffer that was not filled took all there was. */
        @Override
        public boolean continueReading() {
            if (last <= 0 || last != attempted || reads >= READS_A_TURN) {
                return false;
            }
            quota = engine.readQuota(ring.capacity(), false);
            return quota > 0;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreDataSupplier) {
            return continueReading();
        }

        @Override
        public void readComplete() {}
    }
}
