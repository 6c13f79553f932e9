package dev.jwarp.sockets;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import org.jspecify.annotations.Nullable;

/** The key of an RDMA channel, or of a JDK channel, which then has another key in a selector of the JDK. */
final class RdmaSelectionKey extends AbstractSelectionKey {
    private final RdmaSelector selector;
    private final SelectableChannel channel;
    private final @Nullable Readiness readiness;

    /** Whether the selector will look at this key; guarded by the selector. */
    private boolean asked;

    private volatile @Nullable SelectionKey plain;
    private volatile int interest;
    private volatile int ready;

    /**
     * A key of a selector.
     *
     * @param readiness of the channel; null for a channel of the JDK
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

    /** {@return whether the readiness comes from a selector of the JDK} */
    boolean isPlain() {
        return plain != null;
    }

    /** From now on the readiness comes from a selector of the JDK: the channel is, or delegates to, a JDK channel. */
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

    /** Asks the selector to look at this key, after a change of the readiness or of the interest. Any thread. */
    void mayBeReady() {
        if ((interest & now()) != 0) {
            selector.ask(this);
        }
    }

    /** {@return whether it changes whether the selector will look at this key} */
    boolean ask(boolean yes) {
        boolean before = asked;
        asked = yes;
        return before != yes;
    }

    /** {@return the operations of the interest set for which the channel is ready now} */
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

    /** Sets the operations for which the key was selected. */
    void ready(int ops) {
        ready = ops;
    }

    int ready() {
        return ready;
    }
}
