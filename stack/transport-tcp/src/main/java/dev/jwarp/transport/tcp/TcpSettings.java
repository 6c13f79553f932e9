package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.KeepAlive;
import dev.jwarp.mpa.RtrType;
import dev.jwarp.mpa.StartSettings;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The settings of one transport, checked. Immutable; any thread. */
public final class TcpSettings {
    private final EnumMap<TcpSetting, String> values = new EnumMap<>(TcpSetting.class);
    private final StartSettings start;
    private final KeepAlive keepAlive;

    private TcpSettings(Map<String, String> given) {
        for (TcpSetting setting : TcpSetting.values()) {
            values.put(setting, setting.check(given.getOrDefault(setting.key(), setting.defaultValue())));
        }
        start = new StartSettings(
                (int) number(TcpSetting.REVISION),
                on(TcpSetting.MARKERS),
                on(TcpSetting.CRC),
                1,
                1,
                on(TcpSetting.PEER_TO_PEER),
                rtrTypes());
        keepAlive = new KeepAlive(
                on(TcpSetting.KEEP_ALIVE),
                (int) number(TcpSetting.KEEP_ALIVE_IDLE),
                (int) number(TcpSetting.KEEP_ALIVE_INTERVAL),
                (int) number(TcpSetting.KEEP_ALIVE_PROBES));
    }

    /**
     * {@return the settings with these values, and the defaults for the rest}
     *
     * @throws IllegalArgumentException for an unknown key or a bad value, in a sentence that says what is allowed
     */
    public static TcpSettings of(Map<String, String> given) {
        Set<String> known =
                Arrays.stream(TcpSetting.values()).map(TcpSetting::key).collect(Collectors.toSet());
        for (String key : given.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("there is no setting " + key + " here; there are "
                        + known.stream().sorted().collect(Collectors.joining(", ")));
            }
        }
        return new TcpSettings(given);
    }

    /** {@return whether a switch is on} */
    public boolean on(TcpSetting setting) {
        return text(setting).equals("on");
    }

    /** {@return a number, in the unit that the setting names} */
    public long number(TcpSetting setting) {
        return Long.parseLong(text(setting));
    }

    /** {@return a number of milliseconds, as nanoseconds} */
    public long nanos(TcpSetting setting) {
        return TimeUnit.MILLISECONDS.toNanos(number(setting));
    }

    /** {@return the value as text} */
    public String text(TcpSetting setting) {
        return values.getOrDefault(setting, "");
    }

    /** {@return the keep-alive of a connection, unless the program says otherwise for it} */
    public KeepAlive keepAlive() {
        return keepAlive;
    }

    /** {@return what MPA's negotiation wants to know; the read depths are each connection's own} */
    StartSettings start() {
        return start;
    }

    private Set<RtrType> rtrTypes() {
        EnumSet<RtrType> types = EnumSet.noneOf(RtrType.class);
        for (String name : text(TcpSetting.RTR).split(",", -1)) {
            types.add(RtrType.valueOf(name.strip().toUpperCase(Locale.ROOT)));
        }
        return types;
    }
}
