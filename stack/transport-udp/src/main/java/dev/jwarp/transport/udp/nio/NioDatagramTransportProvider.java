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
import java.util.concurrent.TimeUnit;
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
        return new NioDatagramTransport(context(UdpSettings.of(settings)), loops);
    }

    /**
     * {@return a context by the host's clocks} For the drivers, whose clock is {@link System#nanoTime}.
     *
     * @throws IllegalArgumentException if a file that the settings name cannot be used
     */
    public static UdpContext context(UdpSettings settings) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        return new UdpContext(settings, epoch, () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }
}
