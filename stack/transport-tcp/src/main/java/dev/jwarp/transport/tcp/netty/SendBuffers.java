package dev.jwarp.transport.tcp.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Netty's view of the engines' send buffers. A batch that copies its payload is one slice, the same object whenever the
 * batch is used, so its view is kept and used again, and a write allocates nothing. Event loop only.
 */
final class SendBuffers {
    /** Views kept; more batches are seldom in use at a time. */
    private static final int KEPT = 64;

    private final IdentityHashMap<ByteBuffer, ByteBuf> views = new IdentityHashMap<>();
    private final @Nullable ByteBuffer[] order = new ByteBuffer[KEPT];
    private int next;

    /** {@return what is left of {@code slice}, to be written and then released; there is no other user of it} */
    ByteBuf viewOf(ByteBuffer slice) {
        if (!slice.isDirect()) {
            return Unpooled.wrappedBuffer(slice); // a start-up frame
        }
        ByteBuf view = views.get(slice);
        if (view == null) {
            view = Unpooled.wrappedBuffer(slice.duplicate().clear());
            keep(slice, view);
        }
        view.setIndex(slice.position(), slice.limit());
        return view.retain();
    }

    /** {@return what is left of a slice that may be another one the next time} */
    static ByteBuf viewOnceOf(ByteBuffer slice) {
        return Unpooled.wrappedBuffer(slice);
    }

    private void keep(ByteBuffer slice, ByteBuf view) {
        ByteBuffer old = order[next];
        if (old != null) {
            Objects.requireNonNull(views.remove(old)).release();
        }
        order[next] = slice;
        next = (next + 1) % KEPT;
        views.put(slice, view);
    }

    /** The loop ends. */
    void release() {
        views.values().forEach(ByteBuf::release);
        views.clear();
        Arrays.fill(order, null);
    }
}
