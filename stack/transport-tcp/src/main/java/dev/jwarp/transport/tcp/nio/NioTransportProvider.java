package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.SettingText;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code tcp-nio}: TCP through java.nio, driven by whoever polls. */
public final class NioTransportProvider implements TransportProvider {
    /** For {@link java.util.ServiceLoader}. */
    public NioTransportProvider() {}

    @Override
    public String name() {
        return "tcp-nio";
    }

    @Override
    public boolean inline() {
        return true;
    }

    @Override
    public List<SettingText> settings() {
        return TcpSetting.all();
    }

    @Override
    public Transport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        return new NioTransport(TcpSettings.of(settings), loops);
    }
}
