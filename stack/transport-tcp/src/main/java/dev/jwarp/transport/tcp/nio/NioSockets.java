package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.nio.SystemChannels;
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
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens channels with the options that the settings ask for. Any thread. */
final class NioSockets {
    private static final Logger LOG = LoggerFactory.getLogger(NioSockets.class);

    /** Searches for a descriptor that find none, in a row: a process with very many descriptors, or without /proc, is searched no more. */
    private static final int MOST_IN_VAIN = 16;

    private final TcpSettings settings;
    private final AtomicInteger searches = new AtomicInteger(MOST_IN_VAIN);

    NioSockets(TcpSettings settings) {
        this.settings = settings;
    }

    /** {@return a channel to connect with, bound to {@code local} if that is not null} */
    SocketChannel open(@Nullable InetSocketAddress local) throws IOException {
        SocketChannel channel = SystemChannels.provider().openSocketChannel();
        try {
            prepare(channel);
            if (local != null) {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(local);
            }
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Takes a local address, to see whether it can be had. */
    static Closeable take(InetSocketAddress local) throws IOException {
        SocketChannel channel = SystemChannels.provider().openSocketChannel();
        try {
            return channel.bind(local);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** {@return a channel that listens} */
    ServerSocketChannel listen(InetSocketAddress local, int backlog) throws IOException {
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
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Sets the options of a connection, made or taken. */
    void prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, settings.on(TcpSetting.NODELAY));
        setSize(channel, StandardSocketOptions.SO_SNDBUF, TcpSetting.SEND_BUFFER);
        setSize(channel, StandardSocketOptions.SO_RCVBUF, TcpSetting.RECEIVE_BUFFER);
        keepAlive(channel, settings.keepAlive());
    }

    /** The keep-alive of one connection; its times only where the operating system has them for one connection. */
    static void keepAlive(SocketChannel channel, KeepAliveTimes wanted) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, wanted.on());
        if (wanted.on()) {
            setIfKnown(channel, ExtendedSocketOptions.TCP_KEEPIDLE, wanted.idleSeconds());
            setIfKnown(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, wanted.intervalSeconds());
            setIfKnown(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, wanted.probes());
        }
    }

    private static void setIfKnown(SocketChannel channel, SocketOption<Integer> option, int value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    /** {@return what TCP tells of the connection between these addresses; null if it cannot be asked, or is not to be} */
    @Nullable
    TcpInfo info(InetSocketAddress local, InetSocketAddress remote) {
        if (!settings.on(TcpSetting.EPOLL) || searches.get() <= 0) {
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
            LOG.debug("There is no Netty, or none that fits", e);
            return null;
        }
    }

    /** Closing sends RST. */
    static void resetOnClose(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    }

    private void setSize(NetworkChannel channel, SocketOption<Integer> option, TcpSetting setting) throws IOException {
        int size = (int) settings.number(setting);
        if (size > 0) {
            channel.setOption(option, size);
        }
    }
}
