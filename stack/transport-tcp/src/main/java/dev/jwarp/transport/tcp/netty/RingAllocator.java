package dev.jwarp.transport.tcp.netty;

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

    /** For the channels of one event loop, whose buffer this is. */
    RingAllocator(ByteBuf ring) {
        this.ring = ring;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new RingHandle(ring);
    }

    private static final class RingHandle implements ExtendedHandle {
        private final ByteBuf ring;
        private int reads;
        private int attempted;
        private int last;

        RingHandle(ByteBuf ring) {
            this.ring = ring;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            return ring.clear().retain();
        }

        @Override
        public int guess() {
            return ring.capacity();
        }

        @Override
        public void reset(ChannelConfig config) {
            reads = 0;
            last = 0;
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
            return last > 0 && last == attempted && reads < READS_A_TURN;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreDataSupplier) {
            return continueReading();
        }

        @Override
        public void readComplete() {}
    }
}
