package dev.jwarp.sockets;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The key of a channel of RDMA, or of another one, whose key in the selector of that one stands behind it. */
final class RdmaSelectionKey extends AbstractSelectionKey {
    private final RdmaSelector selector;
    private final SelectableChannel channel;
    private final @Nullable SelectableStream stream;
    private final @Nullable SelectionKey plain;
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile int interest;
    private volatile int ready;

    /** Of a channel of RDMA. */
    RdmaSelectionKey(RdmaSelector selector, SelectableChannel channel, SelectableStream stream) {
        this.selector = selector;
        this.channel = channel;
        this.stream = stream;
        plain = null;
    }

    /** Of another channel, which is registered as {@code plain} with a selector of its own kind. */
    RdmaSelectionKey(RdmaSelector selector, SelectableChannel channel, SelectionKey plain) {
        this.selector = selector;
        this.channel = channel;
        this.plain = plain;
        stream = null;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Nullable
    SelectableStream stream() {
        return stream;
    }

    @Nullable
    SelectionKey plain() {
        return plain;
    }

    @Override
    public int interestOps() {
        checkValid();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        checkValid();
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException(
                    "a " + channel + " is never ready for all of " + ops + ", only for " + channel.validOps());
        }
        interest = ops;
        if (plain != null) {
            plain.interestOps(ops);
        } else {
            mayBeReady();
        }
        return this;
    }

    @Override
    public int readyOps() {
        checkValid();
        return ready;
    }

    private void checkValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    /** The channel can do more than before, or more is wanted of it: the selector is to look at it. Any thread. */
    void mayBeReady() {
        if ((interest & now()) != 0 && asked.compareAndSet(false, true)) {
            selector.ask(this);
        }
    }

    /** The selector looks at it now. */
    void looked() {
        asked.set(false);
    }

    /** {@return what the channel can do now of what is wanted} */
    int wanted() {
        return interest & now();
    }

    private int now() {
        return stream != null ? stream.readyOps() : plain != null && plain.isValid() ? plain.readyOps() : 0;
    }

    /** What it was selected for. */
    void ready(int ops) {
        ready = ops;
    }

    int ready() {
        return ready;
    }
}
