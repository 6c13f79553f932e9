package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.SO_KEEPALIVE;
import static io.netty.channel.ChannelOption.SO_LINGER;
import static io.netty.channel.ChannelOption.TCP_NODELAY;

import dev.jwarp.sockets.connection.StreamSetUp;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannelConfig;

/** Options of a stream channel. Sizes of buffers and keep-alive take effect when it connects. */
final class JwarpSocketChannelConfig extends JwarpChannelConfig<SocketChannelConfig> implements SocketChannelConfig {
    private final JwarpSocketChannel socket;
    private volatile int linger = -1;
    private volatile boolean keepAlive;
    private volatile boolean noDelay = true;
    private volatile boolean halfClosure;

    JwarpSocketChannelConfig(JwarpSocketChannel channel) {
        super(channel, new AdaptiveRecvByteBufAllocator(), false);
        withOutput();
        withStreams();
        socket = channel;
        with(TCP_NODELAY, this::isTcpNoDelay, this::setTcpNoDelay);
        with(SO_KEEPALIVE, this::isKeepAlive, this::setKeepAlive);
        with(SO_LINGER, this::getSoLinger, this::setSoLinger);
        with(ALLOW_HALF_CLOSURE, this::isAllowHalfClosure, this::setAllowHalfClosure);
    }

    StreamSetUp streams() {
        return streams(keepAlive);
    }

    @Override
    public int getSoLinger() {
        return linger;
    }

    @Override
    public SocketChannelConfig setSoLinger(int seconds) {
        linger = seconds;
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public SocketChannelConfig setKeepAlive(boolean on) {
        keepAlive = on;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return noDelay;
    }

    @Override
    public SocketChannelConfig setTcpNoDelay(boolean on) {
        noDelay = on;
        socket.combine();
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return halfClosure;
    }

    @Override
    public SocketChannelConfig setAllowHalfClosure(boolean allow) {
        halfClosure = allow;
        return this;
    }
}
