package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.NeededLibrary;
import dev.jwarp.ddp.llp.SettingText;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code tcp-netty}: TCP through Netty, driven by its event loops. */
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
        return "tcp-netty";
    }

    @Override
    public boolean inline() {
        return false;
    }

    @Override
    public List<SettingText> settings() {
        return TcpSetting.all();
    }

    /** {@inheritDoc} This class can be loaded without Netty, so that a program without it has the other transports. */
    @Override
    public Transport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        TcpSettings checked = TcpSettings.of(settings);
        try {
            return loops == null ? new NettyTransport(checked) : new NettyTransport(checked, new Workers(loops));
        } catch (NoClassDefFoundError | IncompatibleClassChangeError e) {
            throw NETTY.missing(name(), NettyTransportProvider.class, e);
        }
    }
}
