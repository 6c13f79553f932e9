package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.Setting;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.List;
import java.util.Map;

/** {@code tcp-netty}: TCP through Netty, driven by its event loops. */
public final class NettyTransportProvider implements TransportProvider {
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
    public List<Setting> settings() {
        return TcpSetting.all();
    }

    @Override
    public Transport open(Map<String, String> settings) {
        return new NettyTransport(TcpSettings.of(settings));
    }
}
