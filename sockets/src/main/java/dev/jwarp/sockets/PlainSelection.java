package dev.jwarp.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The JDK channels of a selector, in a selector of the JDK, which is opened with the first of them. */
final class PlainSelection {
    private final SelectorProvider jdk;
    private volatile @Nullable Selector selector;
    private volatile boolean waiting;

    /**
     * Made without channels.
     *
     * @param jdk opens the selector
     */
    PlainSelection(SelectorProvider jdk) {
        this.jdk = jdk;
    }

    /**
     * Registers a channel, with no interest yet.
     *
     * @param before the key of the program
     */
    SelectionKey register(AbstractSelectableChannel channel, RdmaSelectionKey before) {
        try {
            return channel.register(selector(), 0, before);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized Selector selector() throws IOException {
        Selector opened = selector;
        if (opened == null) {
            opened = jdk.openSelector();
            selector = opened;
        }
        return opened;
    }

    /** {@return whether there are channels} */
    boolean any() {
        Selector current = selector;
        return current != null && !current.keys().isEmpty();
    }

    /** Marks each key that may be ready. */
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
