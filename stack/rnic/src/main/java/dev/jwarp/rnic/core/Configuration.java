package dev.jwarp.rnic.core;

import dev.jwarp.base.SettingKey;
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
 * The effective settings of one context, in order of precedence: values of the program, system properties, environment
 * variables, defaults. A property affects one JVM, a variable every JVM of a shell or container; the narrower scope
 * wins. Immutable.
 */
public final class Configuration {
    private static final Logger LOG = LoggerFactory.getLogger(Configuration.class);
    private static final String PREFIX = "jwarp.";
    private static final String ENVIRONMENT_PREFIX = "JWARP_";

    /** Names that the launcher, the tools, the sockets and the tests read, not a device. */
    private static final Set<String> NOT_OURS = Set.of(
            "JWARP_DEBUG",
            "JWARP_JAVA_OPTS",
            "JWARP_CACHE_DIR",
            "jwarp.sim.seeds",
            "jwarp.sim.seed",
            "jwarp.soak.peers",
            "jwarp.sockets.rules",
            "jwarp.sockets.memory",
            "jwarp.sockets.answer-timeout",
            "JWARP_SOCKETS_RULES",
            "JWARP_SOCKETS_ANSWER_TIMEOUT",
            "JWARP_SOCKETS_MEMORY",
            "jwarp.leaks");

    /** Unknown names that were logged already: once per JVM, not once per context. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private final Map<String, EffectiveSetting> values;

    /** The environment and the system properties of the process; tests pass their own. */
    public record Surroundings(Map<String, String> environment, Map<String, String> properties) {
        public static Surroundings ofProcess() {
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
     * @param known all settings
     * @param explicit the program's values
     * @throws RdmaException INVALID_SETTING if {@code explicit} has an unknown key
     */
    public Configuration(List<Setting> known, Map<String, String> explicit, Surroundings surroundings) {
        for (String key : explicit.keySet()) {
            if (known.stream().noneMatch(setting -> setting.key().equals(key))) {
                throw new RdmaException(RdmaErrorCode.INVALID_SETTING, unknown(key, known));
            }
        }
        values = new LinkedHashMap<>();
        for (Setting setting : known) {
            values.put(setting.key(), resolve(setting, explicit, surroundings));
        }
        unknownKeys(known, surroundings).forEach(key -> warn(key, known));
    }

    private Configuration(Map<String, EffectiveSetting> values) {
        this.values = values;
    }

    /** {@return a copy in which {@code setting} has another value} */
    public Configuration became(RnicSetting setting, String value, EffectiveSetting.Source source) {
        Map<String, EffectiveSetting> changed = new LinkedHashMap<>(values);
        changed.put(setting.key(), new EffectiveSetting(shown(setting.setting()), value, source));
        return new Configuration(changed);
    }

    private static EffectiveSetting resolve(Setting setting, Map<String, String> explicit, Surroundings surroundings) {
        String value = explicit.get(setting.key());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.EXPLICIT);
        }
        value = surroundings.properties().get(setting.key());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.PROPERTY);
        }
        value = surroundings.environment().get(setting.environmentVariable());
        if (value != null) {
            return new EffectiveSetting(setting, value, EffectiveSetting.Source.ENVIRONMENT);
        }
        return new EffectiveSetting(setting, setting.defaultValue(), EffectiveSetting.Source.DEFAULT);
    }

    /**
     * {@return properties and variables with our prefix that are no settings} They are no error: another version may
     * know them.
     */
    static Set<String> unknownKeys(List<Setting> known, Surroundings surroundings) {
        Set<String> unknown = new TreeSet<>();
        Set<String> names = new TreeSet<>(NOT_OURS);
        for (Setting setting : known) {
            names.add(setting.key());
            names.add(setting.environmentVariable());
        }
        unknown.addAll(surroundings.properties().keySet());
        for (String name : surroundings.environment().keySet()) {
            if (name.startsWith(ENVIRONMENT_PREFIX)) {
                unknown.add(name);
            }
        }
        unknown.removeAll(names);
        return unknown;
    }

    private static void warn(String key, List<Setting> known) {
        if (WARNED.add(key)) {
            LOG.warn("{} It has no effect.", unknown(key, known));
        }
    }

    private static String unknown(String key, List<Setting> known) {
        String nearest = nearest(key, known);
        return "There is no setting " + key + (nearest == null ? "." : "; did you mean " + nearest + "?")
                + " `jwarp config` lists the settings.";
    }

    /** {@return the name of the setting that {@code key} is probably a misspelling of; null if none is similar} */
    private static @Nullable String nearest(String key, List<Setting> known) {
        boolean variable = key.startsWith(ENVIRONMENT_PREFIX);
        int least = Math.max(2, key.length() / 5) + 1;
        String nearest = null;
        for (Setting setting : known) {
            String candidate = variable ? setting.environmentVariable() : setting.key();
            int steps = steps(key, candidate);
            if (steps < least) {
                least = steps;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** {@return the Levenshtein distance} */
    private static int steps(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }

    public List<EffectiveSetting> all() {
        return List.copyOf(values.values());
    }

    /** {@return those of {@code keys} that were set, with their values} */
    public Map<String, String> changed(List<String> keys) {
        Map<String, String> changed = new HashMap<>();
        for (String key : keys) {
            EffectiveSetting effective = values.get(key);
            if (effective != null && effective.source() != EffectiveSetting.Source.DEFAULT) {
                changed.put(key, effective.value());
            }
        }
        return changed;
    }

    /** {@return where the value of a setting comes from} */
    public EffectiveSetting.Source source(RnicSetting setting) {
        EffectiveSetting effective = values.get(setting.key());
        return effective == null ? EffectiveSetting.Source.DEFAULT : effective.source();
    }

    public boolean isSet(RnicSetting setting) {
        return !changed(List.of(setting.key())).isEmpty();
    }

    /** {@return the value without surrounding spaces, and in lower case if it is valid; unchecked} */
    public String text(RnicSetting setting) {
        EffectiveSetting effective = values.get(setting.key());
        if (effective == null) {
            throw new IllegalArgumentException(setting.key() + " is not among the settings of this configuration");
        }
        String tidy = setting.setting().tidy(effective.value());
        return (tidy == null ? effective.value() : tidy).strip();
    }

    /** {@return the value, checked} */
    public String checked(RnicSetting setting) {
        return checked(setting.setting());
    }

    private String checked(SettingKey setting) {
        EffectiveSetting effective = values.get(setting.key());
        String text = effective == null ? setting.defaultValue() : effective.value();
        String tidy = setting.tidy(text);
        if (tidy == null) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_SETTING,
                    setting.key() + " is \"" + text.strip() + "\", but takes: " + setting.allowed() + ".");
        }
        return tidy;
    }

    /** {@return whether a switch is on} */
    public boolean on(RnicSetting setting) {
        return checked(setting).equals("on");
    }

    public int number(RnicSetting setting) {
        return (int) number(setting.setting());
    }

    /** {@return the value of a setting whose numbers may be large} */
    public long number(SettingKey setting) {
        return Long.parseLong(checked(setting));
    }

    /** {@return a setting as programs see it} */
    public static Setting shown(SettingKey setting) {
        return new Setting(setting.key(), setting.defaultValue(), setting.allowed(), setting.sentence());
    }

    /** {@return a copy of the keys of {@code settings}} */
    public static List<String> keys(List<Setting> settings) {
        List<String> keys = new ArrayList<>();
        settings.forEach(setting -> keys.add(setting.key()));
        return keys;
    }
}
