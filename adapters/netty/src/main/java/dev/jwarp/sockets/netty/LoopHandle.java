package dev.jwarp.sockets.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;

/** A channel as its loop knows it, which closes it when it ends itself. */
final class LoopHandle implements JwarpIoHandler.JwarpIoHandle {
    private final Channel.Unsafe unsafe;

    private LoopHandle(Channel.Unsafe unsafe) {
        this.unsafe = unsafe;
    }

    /**
     * Registers a channel with its loop.
     *
     * @param promise of the registration
     * @param then is given what undoes it, before the promise is kept
     */
    static void register(EventLoop loop, Channel.Unsafe unsafe, ChannelPromise promise, Consumer<IoRegistration> then) {
        ((IoEventLoop) loop).register(new LoopHandle(unsafe)).addListener(done -> {
            if (done.isSuccess()) {
                then.accept((IoRegistration) done.getNow());
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    @Override
    public void close() {
        unsafe.close(unsafe.voidPromise());
    }
}
