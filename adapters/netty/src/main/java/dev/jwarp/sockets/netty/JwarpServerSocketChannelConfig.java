package dev.jwarp.sockets.netty;

import static io.netty.channel.ChannelOption.SO_BACKLOG;

import dev.jwarp.sockets.connection.StreamSetUp;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;

/** Options of a server channel; accepted channels inherit its receive buffer. */
final class JwarpServerSocketChannelConfig extends JwarpChannelConfig<ServerSocketChannelConfig>
        implements ServerSocketChannelConfig {
    private volatile int backlog = NetUtil.SOMAXCONN;

    JwarpServerSocketChannelConfig(JwarpServerSocketChannel channel) {
        super(channel, new ServerChannelRecvByteBufAllocator(), true);
        withStreams();
        with(SO_BACKLOG, this::getBacklog, this::setBacklog);
    }

    StreamSetUp streams() {
        return streams(false);
    }

    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public ServerSocketChannelConfig setBacklog(int connections) {
        if (connections < 0) {
            throw new IllegalArgumentException("a backlog is 0 or more connections, not " + connections);
        }
        backlog = Math.max(1, Math.min(connections, 0xFFFF));
        return this;
    }
}
