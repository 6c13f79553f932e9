package dev.jwarp.base;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A value for each setting of an enum, checked. Immutable; any thread.
 *
 * @param <K> the settings
 */
public class Settings<K extends Enum<K> & Settings.HasKey> {
    /** A constant of such an enum. */
    public interface HasKey {
        /** {@return the name, default value and allowed values} */
        SettingKey setting();

        /** {@return the name of the setting in a settings map} */
        default String key() {
            return setting().key();
        }

        /** {@return the default value} */
        default String defaultValue() {
            return setting().defaultValue();
        }
    }

    private final EnumMap<K, String> values;

    /**
     * Creates settings of these values, with the defaults for the rest.
     *
     * @throws IllegalArgumentException for an unknown key or a bad value; the message says what is allowed
     */
    public Settings(Class<K> keys, Map<String, String> given) {
        K[] all = keys.getEnumConstants();
        Set<String> known = Arrays.stream(all).map(HasKey::key).collect(Collectors.toSet());
        for (String key : given.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("there is no setting " + key + " here; there are "
                        + known.stream().sorted().collect(Collectors.joining(", ")));
            }
        }
        values = new EnumMap<>(keys);
        for (K key : all) {
            values.put(key, key.setting().check(given.getOrDefault(key.key(), key.defaultValue())));
        }
    }

    /** {@return whether a switch is on} */
    public final boolean on(K setting) {
        return text(setting).equals("on");
    }

    /** {@return a number, in the unit that the setting names} */
    public final long number(K setting) {
        return Long.parseLong(text(setting));
    }

    /** {@return a number of milliseconds, as nanoseconds} */
    public final long nanos(K setting) {
        return TimeUnit.MILLISECONDS.toNanos(number(setting));
    }

    /** {@return the value as text} */
    public final String text(K setting) {
        return Objects.requireNonNull(values.get(setting));
    }
}
