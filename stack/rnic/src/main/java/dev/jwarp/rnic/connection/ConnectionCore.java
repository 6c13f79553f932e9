package dev.jwarp.rnic.connection;

import dev.jwarp.llp.Transport;
import dev.jwarp.rdmap.Nudge;
import dev.jwarp.rdmap.StreamSettings;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicSetting;
import java.util.Locale;

/** What each connection of a context needs of it: the transport, the settings, and where it is known until it is over. Any thread. */
public final class ConnectionCore {
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final ContextCore core;
    private final Transport transport;
    private final StreamSettings streamSettings;
    private final long connectTimeoutNanos;
    private final boolean asksPortMapper;
    private final boolean answersPortMapper;
    private final LiveStreams liveStreams;

    public ConnectionCore(ContextCore core, Transport transport, Configuration configuration) {
        this.core = core;
        this.transport = transport;
        streamSettings = new StreamSettings(
                configuration.on(RnicSetting.EXTENSIONS),
                StreamSettings.DEFAULT.responsesInARow(),
                millis(configuration, RnicSetting.DISCONNECT_TIMEOUT),
                Nudge.valueOf(configuration.text(RnicSetting.NUDGE).toUpperCase(Locale.ROOT)),
                configuration.number(RnicSetting.PROBE) * NANOS_PER_MILLI);
        connectTimeoutNanos = millis(configuration, RnicSetting.CONNECT_TIMEOUT);
        String portMapper = configuration.checked(RnicSetting.PORT_MAPPER);
        answersPortMapper = portMapper.equals("answer") || portMapper.equals("both");
        asksPortMapper = portMapper.equals("ask") || portMapper.equals("both");
        liveStreams = new LiveStreams(core.progression());
    }

    private static long millis(Configuration configuration, RnicSetting setting) {
        return configuration.number(setting) * NANOS_PER_MILLI;
    }

    ContextCore context() {
        return core;
    }

    Transport transport() {
        return transport;
    }

    StreamSettings streamSettings() {
        return streamSettings;
    }

    long connectTimeoutNanos() {
        return connectTimeoutNanos;
    }

    /** {@return whether the port mapper of a peer's host is asked before a connection is made} */
    boolean asksPortMapper() {
        return asksPortMapper;
    }

    /** {@return whether the questions of peers' port mappers about listeners are answered} */
    boolean answersPortMapper() {
        return answersPortMapper;
    }

    LiveStreams liveStreams() {
        return liveStreams;
    }
}
