package dev.jwarp.sockets.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Delegates all calls of a channel's {@code Unsafe} to another one; subclasses override some of them. */
@SuppressWarnings("deprecation") // the type is deprecated, the call is not
class ForwardingUnsafe implements Channel.Unsafe {
    private final Channel.Unsafe inner;

    ForwardingUnsafe(Channel.Unsafe inner) {
        this.inner = inner;
    }

    @Override
    public RecvByteBufAllocator.Handle recvBufAllocHandle() {
        return inner.recvBufAllocHandle();
    }

    @Override
    public SocketAddress localAddress() {
        return inner.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return inner.remoteAddress();
    }

    @Override
    public void register(EventLoop loop, ChannelPromise promise) {
        inner.register(loop, promise);
    }

    @Override
    public void bind(SocketAddress local, ChannelPromise promise) {
        inner.bind(local, promise);
    }

    @Override
    public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
        inner.connect(remote, local, promise);
    }

    @Override
    public void disconnect(ChannelPromise promise) {
        inner.disconnect(promise);
    }

    @Override
    public void close(ChannelPromise promise) {
        inner.close(promise);
    }

    @Override
    public void closeForcibly() {
        inner.closeForcibly();
    }

    @Override
    public void deregister(ChannelPromise promise) {
        inner.deregister(promise);
    }

    @Override
    public void beginRead() {
        inner.beginRead();
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        inner.write(message, promise);
    }

    @Override
    public void flush() {
        inner.flush();
    }

    @Override
    public ChannelPromise voidPromise() {
        return inner.voidPromise();
    }

    @Override
    public @Nullable ChannelOutboundBuffer outboundBuffer() {
        return inner.outboundBuffer();
    }
}
