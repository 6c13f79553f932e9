package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.netty.TcpInfo;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sockets of java.nio. */
public final class StreamChannels implements StreamSocket.Opener {
    private static final Logger LOG = LoggerFactory.getLogger(StreamChannels.class);

    /**
     * Number of consecutive failed searches for a descriptor after which there are no more: for processes with very
     * many descriptors, or without /proc.
     */
    private static final int MOST_IN_VAIN = 16;

    private final TcpSettings settings;
    private final AtomicInteger searches = new AtomicInteger(MOST_IN_VAIN);

    /** Creates an opener with the options of the settings. */
    public StreamChannels(TcpSettings settings) {
        this.settings = settings;
    }

    TcpSettings settings() {
        return settings;
    }

    @Override
    public StreamSocket open(@Nullable InetSocketAddress local) throws IOException {
        SocketChannel channel = SystemChannels.provider().openSocketChannel();
        try {
            StreamChannelSocket socket = new StreamChannelSocket(this, channel);
            socket.prepare();
            if (local != null) {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(local);
            }
            return socket;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Binds a local address, to check whether it is available. */
    static Closeable take(InetSocketAddress local) throws IOException {
        SocketChannel channel = SystemChannels.provider().openSocketChannel();
        try {
            return channel.bind(local);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public StreamSocket.Listening listen(InetSocketAddress local, int backlog) throws IOException {
        ServerSocketChannel channel = SystemChannels.provider().openServerSocketChannel();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            if (settings.on(TcpSetting.SHARED_PORT)) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            // Before the bind: the window that TCP offers is fixed with the connection.
            setSize(channel, StandardSocketOptions.SO_RCVBUF, TcpSetting.RECEIVE_BUFFER);
            channel.configureBlocking(false);
            channel.bind(local, backlog);
            return new StreamChannelSocket.Listener(this, channel, (InetSocketAddress) channel.getLocalAddress());
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public LlpFailure whyNotBound(@Nullable InetSocketAddress local, Throwable cause) {
        return NioFailure.ofBind(local, cause);
    }

    @Override
    public LlpFailure whyNotConnected(@Nullable InetSocketAddress local, Throwable cause) {
        return NioFailure.ofThisSystem().ofConnect(local, cause);
    }

    /** {@return TCP_INFO of the connection between these addresses; null if unavailable or disabled} */
    @Nullable
    TcpInfo info(InetSocketAddress local, InetSocketAddress remote) {
        if (!settings.on(TcpSetting.NATIVE) || searches.get() <= 0) {
            return null;
        }
        try {
            TcpInfo found = TcpInfo.find(local, remote);
            if (found == null) {
                searches.decrementAndGet();
            } else {
                searches.set(MOST_IN_VAIN);
            }
            return found;
        } catch (LinkageError e) {
            LOG.debug("There is no Netty, or an incompatible one", e);
            return null;
        }
    }

    /** Sets the size of a buffer, unless the system chooses it. */
    void setSize(NetworkChannel channel, SocketOption<Integer> option, TcpSetting setting) throws IOException {
        int size = (int) settings.number(setting);
        if (size > 0) {
            channel.setOption(option, size);
        }
    }
}
