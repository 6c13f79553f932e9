package dev.jwarp.transport.udp.netty;

import dev.jwarp.io.WaitMode;
import dev.jwarp.io.netty.NettyEventLoops;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.NeededLibrary;
import dev.jwarp.llp.SettingText;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.DatagramChannels;
import dev.jwarp.transport.udp.net.NioDatagramTransportProvider;
import dev.jwarp.transport.udp.net.UdpContext;
import dev.jwarp.transport.udp.net.UdpTransport;
import io.netty.channel.epoll.Epoll;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code netty}: UDP on an event loop of Netty, the program's or its own; without epoll, on a thread with a selector.
 */
public final class NettyDatagramTransportProvider implements DatagramTransportProvider {
    private static final NeededLibrary NETTY = new NeededLibrary(
            "Netty",
            "4.2",
            "io.netty.channel.EventLoop",
            "import netty-bom 4.2 before other BOMs, or open the device with inline progress, which needs no Netty");

    /** For {@link java.util.ServiceLoader}. */
    public NettyDatagramTransportProvider() {}

    @Override
    public String name() {
        return "netty";
    }

    @Override
    public boolean inline() {
        return false;
    }

    @Override
    public List<SettingText> settings() {
        return UdpSetting.all();
    }

    /**
     * {@inheritDoc} This class can be loaded without Netty, so that a program without Netty has the other transports.
     */
    @Override
    public DatagramTransport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        UdpSettings checked = UdpSettings.of(settings);
        UdpContext context = NioDatagramTransportProvider.context(checked);
        try {
            boolean epoll = checked.on(UdpSetting.NATIVE) && Epoll.isAvailable();
            return loops == null && !epoll
                    ? NioDatagramTransportProvider.threaded(context)
                    : open(context, loops, true);
        } catch (IllegalArgumentException e) {
            context.close();
            throw e;
        } catch (NoClassDefFoundError | IncompatibleClassChangeError e) {
            context.close();
            throw NETTY.missing(name(), NettyDatagramTransportProvider.class, e);
        }
    }

    /** @param throughChannels whether data goes through channels of java.nio where that is possible */
    static UdpTransport open(UdpContext context, @Nullable GivenLoops given, boolean throughChannels) {
        return new UdpTransport(
                context,
                given,
                WaitMode.SELECT,
                maker -> given == null
                        ? new NettyEventLoops(maker, 1, "jwarp-io")
                        : NettyEventLoops.one(maker, given, "netty"),
                loops -> loops instanceof NettyEventLoops own && own.epoll()
                        ? new LoopSockets(context, own.eventLoop(), throughChannels)
                        : new DatagramChannels(context));
    }
}
