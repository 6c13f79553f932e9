package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.nio.LoopSelector;
import dev.jwarp.ddp.llp.nio.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The selector of a loop. What is ready is put aside first and handled when the selector's call is over, because those
 * that handle it may need the selector themselves. Owner only, but for {@link #wakeup}.
 */
final class NioSelector {
    private final TcpLoop loop;
    private final LoopSelector selector;
    private @Nullable Object[] ready = new Object[64];
    private int readyCount;
    private boolean channelsClosed;

    NioSelector(TcpLoop loop, Waiting waiting, @Nullable GivenLoops given) throws IOException {
        this.loop = loop;
        selector = new LoopSelector(waiting, given, "tcp-nio", this::isOurs, this::collect);
    }

    private boolean isOurs(@Nullable Object attachment) {
        return attachment instanceof Timed timed && timed.isOf(loop);
    }

    /** See {@link LoopSelector#beginPoll}. */
    void beginPoll() {
        selector.beginPoll();
    }

    /** See {@link LoopSelector#endPoll}. */
    void endPoll() {
        selector.endPoll();
    }

    /** See {@link LoopSelector#endWait}. */
    void endWait() {
        selector.endWait();
    }

    /** See {@link dev.jwarp.ddp.llp.Progressing#ready}. */
    boolean ready(SelectionKey key) {
        return selector.ready(key);
    }

    /** Ends a wait under way, or the next one at once. Any thread. */
    void wakeup() {
        selector.wakeup();
    }

    SelectionKey register(SelectableChannel channel, int operations, Object attachment) throws ClosedChannelException {
        return selector.register(channel, operations, attachment);
    }

    /** Finds what is ready; waits up to {@code nanos}, and not at all if that is not positive. */
    void select(long nanos) {
        selector.select(nanos);
    }

    /** Finds what is ready now, or was selected by the program. */
    void look() {
        selector.look();
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

    /** See {@link LoopSelector#letGo}. */
    void letGo() {
        channelsClosed = false;
        selector.letGo();
    }

    void close() {
        selector.close();
    }
}
