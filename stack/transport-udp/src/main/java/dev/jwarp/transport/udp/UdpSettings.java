package dev.jwarp.transport.udp;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The settings of one transport, checked. Immutable; any thread. */
public final class UdpSettings {
    private final EnumMap<UdpSetting, String> values = new EnumMap<>(UdpSetting.class);

    private UdpSettings(Map<String, String> given) {
        for (UdpSetting setting : UdpSetting.values()) {
            values.put(setting, setting.check(given.getOrDefault(setting.key(), setting.defaultValue())));
        }
    }

    /**
     * {@return the settings with these values, and the defaults for the rest}
     *
     * @throws IllegalArgumentException for an unknown key or a bad value, in a sentence that says what is allowed
     */
    public static UdpSettings of(Map<String, String> given) {
        Set<String> known =
                Arrays.stream(UdpSetting.values()).map(UdpSetting::key).collect(Collectors.toSet());
        for (String key : given.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("there is no setting " + key + " here; there are "
                        + known.stream().sorted().collect(Collectors.joining(", ")));
            }
        }
        return new UdpSettings(given);
    }

    /** {@return whether a switch is on} */
    public boolean on(UdpSetting setting) {
        return text(setting).equals("on");
    }

    /** {@return a number, in the unit that the setting names} */
    public long number(UdpSetting setting) {
        return Long.parseLong(text(setting));
    }

    /** {@return a number of milliseconds, as nanoseconds} */
    public long nanos(UdpSetting setting) {
        return TimeUnit.MILLISECONDS.toNanos(number(setting));
    }

    /** {@return the value as text} */
    public String text(UdpSetting setting) {
        return values.getOrDefault(setting, "");
    }

    /** {@return the sources that need no proof} */
    Networks trusted() {
        return Objects.requireNonNull(Networks.parse(text(UdpSetting.TRUST)));
    }

    /** {@return the faults to make} */
    InjectedFaults faults() {
        return Objects.requireNonNull(InjectedFaults.parse(text(UdpSetting.INJECT)));
    }
}
