package dev.jwarp.transport.tcp.net;

import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.SettingText;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportProvider;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The transport {@code nio}: TCP through java.nio, driven by the thread that polls. */
public final class NioTransportProvider implements TransportProvider {
    /** For {@link java.util.ServiceLoader}. */
    public NioTransportProvider() {}

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
        return TcpSetting.all();
    }

    @Override
    public Transport open(Map<String, String> settings, @Nullable GivenLoops loops) {
        return open(TcpSettings.of(settings), loops);
    }

    /** @param given loops of the program; null for an own selector */
    static TcpTransport open(TcpSettings settings, @Nullable GivenLoops given) {
        WaitMode mode = given == null ? WaitMode.of(settings.text(TcpSetting.WAIT)) : WaitMode.SELECT;
        return new TcpTransport(
                settings, mode, 1, maker -> Loops.inline(maker, given, "nio"), opened -> new StreamChannels(settings));
    }

    /** {@return a transport with its own threads} */
    public static TcpTransport threaded(TcpSettings settings) {
        int count = threads(settings);
        return new TcpTransport(
                settings,
                WaitMode.SELECT,
                count,
                maker -> Loops.threads(maker, count, "jwarp-io"),
                opened -> new StreamChannels(settings));
    }

    /** {@return the number of threads of a transport with its own threads} */
    public static int threads(TcpSettings settings) {
        int chosen = (int) settings.number(TcpSetting.EVENT_LOOPS);
        return chosen == 0 ? Runtime.getRuntime().availableProcessors() : chosen;
    }
}
