package dev.jwarp.transport.tcp.netty;

import dev.jwarp.io.WaitMode;
import dev.jwarp.io.netty.NettyEventLoops;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.NeededLibrary;
import dev.jwarp.llp.SettingText;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.NioTransportProvider;
import dev.jwarp.transport.tcp.net.StreamChannels;
import dev.jwarp.transport.tcp.net.TcpTransport;
import io.netty.channel.epoll.Epoll;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transport {@code netty}: TCP on event loops of Netty, the program's or its own; without epoll, on its own threads
 * with a selector each.
 */
public final class NettyTransportProvider implements TransportProvider {
    private static final NeededLibrary NETTY = new NeededLibrary(
            "Netty",
            "4.2",
            "io.netty.channel.EventLoop",
            "import netty-bom 4.2 before other BOMs, or open the device with inline progress, which needs no Netty");

    /** For {@link java.util.ServiceLoader}. */
    public NettyTransportProvider() {}

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
        return TcpSetting.all();
    }

    /**
     * {@inheritDoc} This class can be loaded without Netty, so that a program without Netty can use the other
     * transports.
     */
    @Override
    public Transport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        TcpSettings checked = TcpSettings.of(settings);
        try {
            return open(checked, loops);
        } catch (NoClassDefFoundError | IncompatibleClassChangeError e) {
            throw NETTY.missing(name(), NettyTransportProvider.class, e);
        }
    }

    private static TcpTransport open(TcpSettings settings, @Nullable GivenLoops given) {
        boolean epoll = settings.on(TcpSetting.NATIVE) && Epoll.isAvailable();
        if (given == null && !epoll) {
            return NioTransportProvider.threaded(settings);
        }
        int count = given == null ? NioTransportProvider.threads(settings) : NettyEventLoops.count(given);
        return new TcpTransport(
                settings,
                WaitMode.SELECT,
                count,
                maker -> given == null
                        ? new NettyEventLoops(maker, count, "jwarp-io")
                        : new NettyEventLoops(maker, given, "netty"),
                loops -> ((NettyEventLoops) loops).epoll()
                        ? new DescriptorSockets(settings)
                        : new StreamChannels(settings));
    }
}
