package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.SettingText;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.ddp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.UdpContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code udp-nio}: UDP through java.nio, driven by whoever polls. */
public final class NioDatagramTransportProvider implements DatagramTransportProvider {
    /** For {@link java.util.ServiceLoader}. */
    public NioDatagramTransportProvider() {}

    @Override
    public String name() {
        return "udp-nio";
    }

    @Override
    public boolean inline() {
        return true;
    }

    @Override
    public List<SettingText> settings() {
        return UdpSetting.all();
    }

    @Override
    public DatagramTransport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        return new NioDatagramTransport(UdpContext.byClocksOfTheHost(UdpSettings.of(settings)), loops);
    }
}
