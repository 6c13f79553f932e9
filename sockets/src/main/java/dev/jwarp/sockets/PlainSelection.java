package dev.jwarp.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The other channels of a selector: those that are not of RDMA, in a selector of their own kind, which is there when it is needed. */
final class PlainSelection {
    private final JwarpSelectorProvider provider;
    private final AtomicInteger keys = new AtomicInteger();
    private volatile @Nullable Selector selector;
    private volatile boolean waiting;

    PlainSelection(JwarpSelectorProvider provider) {
        this.provider = provider;
    }

    /** Registers a channel, with no interest yet. */
    SelectionKey register(AbstractSelectableChannel channel) {
        try {
            return channel.register(selector(), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized Selector selector() throws IOException {
        Selector opened = selector;
        if (opened == null) {
            opened = provider.openPlainSelector();
            selector = opened;
        }
        return opened;
    }

    /** {@code key} stands before a key of here. */
    void remember(SelectionKey behind, RdmaSelectionKey key) {
        behind.attach(key);
        keys.getAndIncrement();
    }

    /** A key that was remembered is no more. */
    void forget() {
        keys.getAndDecrement();
    }

    /** {@return whether there are other channels} */
    boolean any() {
        return keys.get() > 0;
    }

    /** Says of each key that may be ready that it may. */
    void look() throws IOException {
        Selector current = selector;
        if (current == null) {
            return;
        }
        current.selectNow();
        for (SelectionKey key : current.selectedKeys()) {
            if (key.attachment() instanceof RdmaSelectionKey before) {
                before.mayBeReady();
            }
        }
        current.selectedKeys().clear();
    }

    /** Waits until a channel may be ready, or {@link #wakeup}. Returns at once if {@code something} is there already. */
    void await(long nanos, BooleanSupplier something) throws IOException {
        Selector current = selector();
        waiting = true;
        try {
            if (!something.getAsBoolean()) {
                current.select(nanos == Long.MAX_VALUE ? 0 : TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
            }
        } finally {
            waiting = false;
        }
    }

    /** Ends a wait. Any thread. */
    void wakeup() {
        Selector current = selector;
        if (waiting && current != null) {
            current.wakeup();
        }
    }

    void close() throws IOException {
        Selector current = selector;
        if (current != null) {
            current.close();
        }
    }
}
