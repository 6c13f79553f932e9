package dev.jwarp.rnic;

import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values that count for one context: what the program says wins over the environment, the environment over system
 * properties, these over the defaults. Immutable.
 */
final class Configuration {
    private static final Logger LOG = LoggerFactory.getLogger(Configuration.class);
    private static final String PREFIX = "jwarp.";
    private static final String ENVIRONMENT_PREFIX = "JWARP_";

    /** Read by the launcher, the tools and the tests, not by a device. */
    private static final Set<String> NOT_OURS = Set.of(
            "JWARP_DEBUG", "JWARP_JAVA_OPTS", "jwarp.sim.seeds", "jwarp.sim.seed", "jwarp.soak.peers", "jwarp.leaks");

    /** Told once in the life of the JVM, not once a context. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private final Map<String, EffectiveSetting> values = new LinkedHashMap<>();

    /** What the process was started with; handed in by tests. */
    record Surroundings(Map<String, String> environment, Map<String, String> properties) {
        static Surroundings ofProcess() {
            Map<String, String> properties = new HashMap<>();
            for (String name : System.getProperties().stringPropertyNames()) {
                String value = System.getProperty(name);
                if (name.startsWith(PREFIX) && value != null) {
                    properties.put(name, value);
                }
            }
            return new Surroundings(System.getenv(), properties);
        }
    }

    /**
     * Resolves all settings.
     *
     * @param known every setting there is
     * @param explicit what the program says
     */
    Configuration(List<Setting> known, Map<String, String> explicit, Surroundings surroundings) {
        for (Setting setting : known) {
            values.put(setting.key(), resolve(setting, explicit, surroundings));
        }
        unknownKeys(known, explicit, surroundings).forEach(Configuration::warn);
    }

    private static EffectiveSetting resolve(Setting setting, Map<String, String> explicit, Surroundings surroundings) {
        String value = explicit.get(setting.key());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.EXPLICIT);
        }
        value = surroundings.environment().get(setting.environmentVariable());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.ENVIRONMENT);
        }
        value = surroundings.properties().get(setting.key());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.PROPERTY);
        }
        return new EffectiveSetting(setting, setting.defaultValue(), EffectiveSetting.Source.DEFAULT);
    }

    /** {@return the keys, in any of the three places, that begin like ours but are no setting} */
    static Set<String> unknownKeys(List<Setting> known, Map<String, String> explicit, Surroundings surroundings) {
        Set<String> unknown = new TreeSet<>();
        Set<String> names = new TreeSet<>(NOT_OURS);
        for (Setting setting : known) {
            names.add(setting.key());
            names.add(setting.environmentVariable());
        }
        unknown.addAll(explicit.keySet());
        unknown.addAll(surroundings.properties().keySet());
        for (String name : surroundings.environment().keySet()) {
            if (name.startsWith(ENVIRONMENT_PREFIX)) {
                unknown.add(name);
            }
        }
        unknown.removeAll(names);
        return unknown;
    }

    private static void warn(String key) {
        if (WARNED.add(key)) {
            LOG.warn("There is no setting {}: it has no effect. `jwarp config` lists the settings.", key);
        }
    }

    List<EffectiveSetting> all() {
        return List.copyOf(values.values());
    }

    /** {@return those of {@code keys} that somebody set, with their values} */
    Map<String, String> changed(List<String> keys) {
        Map<String, String> changed = new HashMap<>();
        for (String key : keys) {
            EffectiveSetting effective = values.get(key);
            if (effective != null && effective.source() != EffectiveSetting.Source.DEFAULT) {
                changed.put(key, effective.value());
            }
        }
        return changed;
    }

    boolean isSet(RnicSetting setting) {
        return !changed(List.of(setting.key())).isEmpty();
    }

    String text(RnicSetting setting) {
        EffectiveSetting effective = values.get(setting.key());
        if (effective == null) {
            throw new IllegalArgumentException(setting.key() + " is not among the settings of this configuration");
        }
        return effective.value().strip();
    }

    /** {@return the value, which must be one of {@code choices}} */
    String choice(RnicSetting setting, String... choices) {
        String value = text(setting);
        if (!List.of(choices).contains(value)) {
            throw bad(setting);
        }
        return value;
    }

    int number(RnicSetting setting, int least, int most) {
        try {
            int value = Integer.parseInt(text(setting));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw bad(setting, e);
        }
        throw bad(setting);
    }

    /** {@return the value of a setting whose numbers may be large} */
    long number(Setting setting, long least, long most) {
        EffectiveSetting effective = values.get(setting.key());
        String text =
                effective == null ? setting.defaultValue() : effective.value().strip();
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw bad(setting, text, e);
        }
        throw bad(setting, text, null);
    }

    private static RdmaException bad(Setting setting, String text, @Nullable Throwable cause) {
        return new RdmaException(
                RdmaErrorCode.INVALID_SETTING,
                setting.key() + " is \"" + text + "\", but takes: " + setting.allowed() + ".",
                cause);
    }

    RdmaException bad(RnicSetting setting) {
        return bad(setting, null);
    }

    private RdmaException bad(RnicSetting setting, @Nullable Throwable cause) {
        return bad(setting.setting(), text(setting), cause);
    }

    /** {@return a copy of the keys of {@code settings}} */
    static List<String> keys(List<Setting> settings) {
        List<String> keys = new ArrayList<>();
        settings.forEach(setting -> keys.add(setting.key()));
        return keys;
    }
}
