package dev.jwarp.sockets.netty;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The base of jwarp's channels, whose event loop has a {@link JwarpIoHandler}, which closes them when it ends. */
abstract class LoopChannel extends AbstractChannel {
    volatile boolean open = true;
    boolean readPending;
    boolean writePending;
    /** A read is in progress: a request for the next one takes effect when this one is done. */
    boolean reading;

    /** The link to the loop; null until the channel is registered, or if it waits for no event. */
    @Nullable
    LoopLink link;

    private @Nullable IoRegistration registration;

    LoopChannel(@Nullable Channel parent) {
        super(parent);
    }

    /** {@return the handler of the channel's loop} */
    final JwarpIoHandler loopHandler() {
        return Objects.requireNonNull(JwarpIoHandler.of(eventLoop()), "the event loop has no handler of jwarp");
    }

    @Override
    public final boolean isOpen() {
        return open;
    }

    @Override
    public final @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public final @Nullable InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return JwarpIoHandler.of(loop) != null;
    }

    private record Handle(Unsafe unsafe) implements JwarpIoHandler.JwarpIoHandle {
        @Override
        public void close() {
            unsafe.close(unsafe.voidPromise());
        }
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register(new Handle(unsafe())).addListener(done -> {
            if (done.isSuccess()) {
                registration = (IoRegistration) done.getNow();
                registered(loopHandler());
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    /** The channel is registered with the loop of {@code handler}. */
    void registered(JwarpIoHandler handler) {}

    @Override
    protected final void doDeregister() {
        IoRegistration last = registration;
        if (last != null) {
            registration = null;
            last.cancel();
        }
    }

    /** The channel waits for a further event: if it can act already, it will soon. */
    final void look() {
        LoopLink current = link;
        if (current != null) {
            current.look();
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        look();
    }

    /** Cancels a requested read, since auto-read was switched off. */
    final void clearReadPending() {
        readPending = false;
    }

    /** Flushes only when the event that it waits for has come. */
    abstract class LoopUnsafe extends AbstractUnsafe {
        /** The channel has become writable. */
        final void flushAgain() {
            super.flush0();
        }

        @Override
        protected final void flush0() {
            if (!writePending) {
                super.flush0();
            }
        }
    }
}
