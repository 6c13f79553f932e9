package dev.jwarp.sockets;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The key of a channel of RDMA, or of one of the JDK, whose key in a selector of the JDK stands behind it. */
final class RdmaSelectionKey extends AbstractSelectionKey {
    private final RdmaSelector selector;
    private final SelectableChannel channel;
    private final @Nullable Readiness readiness;
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile @Nullable SelectionKey plain;
    private volatile int interest;
    private volatile int ready;

    /**
     * A key of a selector.
     *
     * @param readiness of the channel; null: the channel is the JDK's
     */
    RdmaSelectionKey(RdmaSelector selector, SelectableChannel channel, @Nullable Readiness readiness) {
        this.selector = selector;
        this.channel = channel;
        this.readiness = readiness;
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
    Readiness readiness() {
        return readiness;
    }

    /** {@return whether another selector says what the channel can do} */
    boolean isPlain() {
        return plain != null;
    }

    /** The channel is, or stands on, one of the JDK, whose selector says from now on what it can do. */
    void bePlain(AbstractSelectableChannel beneath) {
        SelectionKey key = selector.plain().register(beneath, this);
        plain = key;
        key.interestOps(interest);
        selector.lookAgain();
    }

    /** The channel of the JDK is no longer registered. */
    void forgetPlain() {
        SelectionKey key = plain;
        if (key != null) {
            key.cancel();
        }
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
        SelectionKey beneath = plain;
        if (beneath == null) {
            mayBeReady();
        } else if (beneath.isValid()) {
            beneath.interestOps(ops);
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
        SelectionKey beneath = plain;
        if (beneath != null) {
            try {
                return beneath.readyOps();
            } catch (CancelledKeyException e) {
                return 0; // another thread has closed the channel
            }
        }
        return readiness == null ? 0 : readiness.bits();
    }

    /** What it was selected for. */
    void ready(int ops) {
        ready = ops;
    }

    int ready() {
        return ready;
    }
}
