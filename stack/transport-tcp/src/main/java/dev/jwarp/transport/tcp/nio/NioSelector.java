package dev.jwarp.transport.tcp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The selector of a loop. What is ready is put aside first and handled when the selector's call is over, because those
 * that handle it may need the selector themselves. Owner only, but for {@link #wakeup}.
 */
final class NioSelector {
    private final TcpLoop loop;
    private final Selector selector;
    private final Consumer<SelectionKey> collector = this::collect;
    private @Nullable Object[] ready = new Object[64];
    private int readyCount;
    private boolean channelsClosed;

    NioSelector(TcpLoop loop) throws IOException {
        this.loop = loop;
        selector = Selector.open();
    }

    /** Ends a wait under way, or the next one at once. Any thread. */
    void wakeup() {
        selector.wakeup();
    }

    SelectionKey register(SelectableChannel channel, int operations, Object attachment) throws ClosedChannelException {
        return channel.register(selector, operations, attachment);
    }

    /** Finds what is ready; waits up to {@code nanos}, and not at all if that is not positive. */
    void select(long nanos) {
        try {
            if (nanos > 0) {
                selector.select(collector, ceilMillis(nanos));
            } else {
                selector.selectNow(collector);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long ceilMillis(long nanos) {
        long nanosAMilli = TimeUnit.MILLISECONDS.toNanos(1);
        return Math.min(Integer.MAX_VALUE, nanos / nanosAMilli + (nanos % nanosAMilli == 0 ? 0 : 1));
    }

    private void collect(SelectionKey key) {
        if (readyCount == ready.length) {
            ready = Arrays.copyOf(ready, 2 * readyCount);
        }
        ready[readyCount++] = key.attachment();
    }

    /** {@return whether anything was ready} Has it handled. */
    boolean handleReady(ByteBuffer ring) {
        if (readyCount == 0) {
            return false;
        }
        long now = loop.stepTime();
        for (int i = 0; i < readyCount; i++) {
            Object item = ready[i];
            ready[i] = null;
            try {
                if (item instanceof NioStream stream) {
                    stream.onReady(ring, now);
                } else if (item instanceof NioListener listener) {
                    listener.onReady(now);
                }
            } catch (Throwable e) {
                ((Timed) Objects.requireNonNull(item)).fault(e, now);
            }
        }
        readyCount = 0;
        return true;
    }

    /** A registered channel was closed. */
    void channelClosed() {
        channelsClosed = true;
    }

    void letGoIfClosed() {
        if (channelsClosed) {
            letGo();
        }
    }

    /** A closed channel keeps its descriptor, and its port, until the selector has let go of it: has it do so. */
    void letGo() {
        channelsClosed = false;
        if (selector.isOpen()) {
            try {
                selector.selectNow(NioSelector::leaveForLater);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What is ready now is ready at the next look too. */
    private static void leaveForLater(SelectionKey key) {}

    void close() {
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
