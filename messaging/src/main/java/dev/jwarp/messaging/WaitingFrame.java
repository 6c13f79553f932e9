package dev.jwarp.messaging;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;

/** A frame that waits to be sent. Its return buffers are exposed when it is sent. Used under the lock of the endpoint. */
final class WaitingFrame {
    /** Frames that are used again: up to {@link #KEPT} short messages wait without garbage. */
    static final class Spare {
        private static final int KEPT = 256;

        private final ArrayDeque<WaitingFrame> frames = new ArrayDeque<>();

        /** {@return a frame of {@code length} bytes, to be filled from its beginning} */
        WaitingFrame take(int length, List<MessageBuffer> returns) {
            WaitingFrame taken = frames.isEmpty() ? new WaitingFrame(length) : frames.pop();
            if (taken.bytes.capacity() < length) {
                taken = new WaitingFrame(length);
            }
            taken.bytes.clear().limit(length);
            taken.returns = returns;
            return taken;
        }

        /** The frame was sent, or never will be. */
        void give(WaitingFrame used) {
            if (frames.size() < KEPT) {
                used.returns = List.of();
                frames.push(used);
            }
        }
    }

    /** The frame, up to the limit. */
    final ByteBuffer bytes;

    List<MessageBuffer> returns = List.of();

    private WaitingFrame(int length) {
        bytes = ByteBuffer.allocate(length);
    }

    /** A frame that its maker keeps. */
    WaitingFrame(byte[] frame) {
        bytes = ByteBuffer.wrap(frame);
    }

    int type() {
        return Frame.type(bytes, 0);
    }

    int flags() {
        return Frame.flags(bytes, 0);
    }

    long correlation() {
        return bytes.getLong(Frame.CORRELATION_AT);
    }

    /** {@return bytes of the message in a SHORT} */
    int shortLength() {
        return bytes.limit() - Frame.HEADER - returns.size() * Frame.RETURN;
    }
}
