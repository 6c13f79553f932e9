package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.nio.SystemChannels;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.nio.NioFailure;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Netty's sockets, epoll's where it can be had, with the options that the settings ask for. Any thread. */
class NettySockets {
    /** So a channel is writable exactly when it holds nothing: that is how a whole write is known without a promise. */
    private static final WriteBufferWaterMark ALL_WRITTEN = new WriteBufferWaterMark(1, 1);

    private static final ChannelOption<Boolean> SHARED = NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);
    private static final ChannelOption<Integer> IDLE = NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE);
    private static final ChannelOption<Integer> INTERVAL = NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL);
    private static final ChannelOption<Integer> PROBES = NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT);

    private final TcpSettings settings;
    private final boolean epoll;

    NettySockets(TcpSettings settings) {
        this(settings, settings.on(TcpSetting.EPOLL) && Epoll.isAvailable());
    }

    /** @param epoll whether event loops are epoll's */
    NettySockets(TcpSettings settings, boolean epoll) {
        this.settings = settings;
        this.epoll = epoll;
    }

    boolean isEpoll() {
        return epoll;
    }

    IoHandlerFactory ioHandlers() {
        return epoll ? LastingInterest.factory() : NioIoHandler.newFactory(SystemChannels.provider());
    }

    /** {@return why there is no listener at {@code local}} */
    LlpFailure whyNoListener(InetSocketAddress local, Throwable cause) {
        return epoll ? ErrorNumber.meaning(cause) : NioFailure.ofBind(local, thrownByNio(cause));
    }

    /** {@return why a connect from {@code local}, if that is not null, failed} */
    LlpFailure whyNoConnection(@Nullable InetSocketAddress local, Throwable cause) {
        return epoll ? ErrorNumber.meaning(cause) : NioFailure.ofThisSystem().ofConnect(local, thrownByNio(cause));
    }

    /** {@return what java.nio threw} Netty replaces some of it by an exception of a more general class, to add the address. */
    private static Throwable thrownByNio(Throwable cause) {
        Throwable thrown = cause;
        while (thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return thrown;
    }

    private Channel newChannel() {
        return epoll ? new EpollSocketChannel() : new NioSocketChannel(SystemChannels.provider());
    }

    private ServerChannel newServerChannel() {
        return epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel(SystemChannels.provider());
    }

    /** The keep-alive of one connection; its times only where the operating system has them for one connection. */
    static void keepAlive(Channel channel, KeepAliveTimes wanted) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.SO_KEEPALIVE, wanted.on());
        if (wanted.on()) {
            boolean epoll = channel instanceof EpollSocketChannel;
            config.setOption(epoll ? EpollChannelOption.TCP_KEEPIDLE : IDLE, wanted.idleSeconds());
            config.setOption(epoll ? EpollChannelOption.TCP_KEEPINTVL : INTERVAL, wanted.intervalSeconds());
            config.setOption(epoll ? EpollChannelOption.TCP_KEEPCNT : PROBES, wanted.probes());
        }
    }

    /** {@return what connects, on this loop} */
    Bootstrap client(NettyLoop loop) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop.eventLoop())
                .channelFactory(this::newChannel)
                .disableResolver()
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0) // the engine keeps the time
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.TCP_NODELAY, settings.on(TcpSetting.NODELAY))
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ALL_WRITTEN);
        int sendBuffer = (int) settings.number(TcpSetting.SEND_BUFFER);
        if (sendBuffer > 0) {
            bootstrap.option(ChannelOption.SO_SNDBUF, sendBuffer);
        }
        int receiveBuffer = (int) settings.number(TcpSetting.RECEIVE_BUFFER);
        if (receiveBuffer > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, receiveBuffer);
        }
        return bootstrap;
    }

    /** {@return what listens} */
    ServerBootstrap server(int backlog) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .channelFactory(this::newServerChannel)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, settings.on(TcpSetting.NODELAY))
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ALL_WRITTEN);
        if (settings.on(TcpSetting.SHARED_PORT)) {
            bootstrap.option(epoll ? EpollChannelOption.SO_REUSEPORT : SHARED, true);
        }
        int sendBuffer = (int) settings.number(TcpSetting.SEND_BUFFER);
        if (sendBuffer > 0) {
            bootstrap.childOption(ChannelOption.SO_SNDBUF, sendBuffer);
        }
        int receiveBuffer = (int) settings.number(TcpSetting.RECEIVE_BUFFER);
        if (receiveBuffer > 0) {
            bootstrap
                    .option(ChannelOption.SO_RCVBUF, receiveBuffer)
                    .childOption(ChannelOption.SO_RCVBUF, receiveBuffer);
        }
        return bootstrap;
    }
}
