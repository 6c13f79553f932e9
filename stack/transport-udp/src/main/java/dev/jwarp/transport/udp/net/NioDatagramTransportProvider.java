package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.SettingText;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.ddp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
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
        UdpSettings checked = UdpSettings.of(settings);
        WaitMode mode = loops == null ? WaitMode.of(checked.text(UdpSetting.WAIT)) : WaitMode.SELECT;
        UdpContext context = context(checked);
        return new UdpTransport(
                context,
                mode,
                false,
                maker -> Loops.inline(maker, loops, "udp-nio"),
                opened -> new DatagramChannels(context));
    }

    /** {@return a transport with a thread of its own} */
    public static UdpTransport threaded(UdpContext context) {
        return new UdpTransport(
                context,
                WaitMode.SELECT,
                false,
                maker -> Loops.threads(maker, 1, "jwarp-udp"),
                opened -> new DatagramChannels(context));
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
