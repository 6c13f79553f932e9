package dev.jwarp.transport.tcp;

import dev.jwarp.base.Settings;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.mpa.RtrType;
import dev.jwarp.mpa.StartSettings;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The settings of one transport, checked. Immutable; any thread. */
public final class TcpSettings extends Settings<TcpSetting> {
    private final StartSettings start;
    private final KeepAliveTimes keepAlive;
    private final CrcField crcField;

    private TcpSettings(Map<String, String> given) {
        super(TcpSetting.class, given);
        start = new StartSettings(
                (int) number(TcpSetting.REVISION),
                on(TcpSetting.MARKERS),
                on(TcpSetting.CRC),
                1,
                1,
                on(TcpSetting.PEER_TO_PEER),
                rtrTypes());
        crcField = CrcField.valueOf(text(TcpSetting.CRC_FIELD).toUpperCase(Locale.ROOT));
        keepAlive = Objects.requireNonNull(KeepAliveTimes.parse(text(TcpSetting.KEEP_ALIVE)));
    }

    /**
     * {@return the settings with these values, and the defaults for the rest}
     *
     * @throws IllegalArgumentException for an unknown key or a bad value; the message says what is allowed
     */
    public static TcpSettings of(Map<String, String> given) {
        return new TcpSettings(given);
    }

    /** {@return the keep-alive of a connection, unless the program sets its own} */
    public KeepAliveTimes keepAlive() {
        return keepAlive;
    }

    /** {@return the settings of MPA's negotiation; each connection has its own read depths} */
    StartSettings start() {
        return start;
    }

    CrcField crcField() {
        return crcField;
    }

    private Set<RtrType> rtrTypes() {
        EnumSet<RtrType> types = EnumSet.noneOf(RtrType.class);
        for (String name : text(TcpSetting.RTR).split(",", -1)) {
            types.add(RtrType.valueOf(name.strip().toUpperCase(Locale.ROOT)));
        }
        return types;
    }
}
