package dev.jwarp.transport.udp.net;

import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.SettingText;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code nio}: UDP through java.nio, driven by the threads that poll. */
public final class NioDatagramTransportProvider implements DatagramTransportProvider {
    /** For {@link java.util.ServiceLoader}. */
    public NioDatagramTransportProvider() {}

    @Override
    public String name() {
        return "nio";
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
        boolean spins = loops == null && checked.text(UdpSetting.WAIT).equals("spin");
        UdpContext context = context(checked);
        return new UdpTransport(
                context,
                loops,
                spins ? WaitMode.SPIN : WaitMode.SELECT,
                maker -> Loops.inline(maker, loops, "nio"),
                opened -> new DatagramChannels(context));
    }

    /** {@return a transport with a thread of its own} */
    public static UdpTransport threaded(UdpContext context) {
        return new UdpTransport(
                context,
                null,
                WaitMode.SELECT,
                maker -> Loops.threads(maker, 1, "jwarp-io"),
                opened -> new DatagramChannels(context));
    }

    /**
     * {@return a context with the host's clocks} For drivers whose clock is {@link System#nanoTime}.
     *
     * @throws IllegalArgumentException if a file that the settings name cannot be used
     */
    public static UdpContext context(UdpSettings settings) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        return new UdpContext(settings, epoch, () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
    }
}
