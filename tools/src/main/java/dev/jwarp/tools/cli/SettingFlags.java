package dev.jwarp.tools.cli;

import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.EffectiveSetting.Source;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Flags of every tool with a device. Each flag is a short name of a setting. */
public class SettingFlags {
    private static final String PREFIX = "jwarp.";
    private static final String ENVIRONMENT_PREFIX = "JWARP_";
    /** Variables of the launcher and of the tools, which are not settings of the stack. */
    private static final Set<String> OWN_VARIABLES = Set.of("JWARP_DEBUG", "JWARP_JAVA_OPTS", "JWARP_CACHE_DIR");

    @Option(
            names = "--progress",
            paramLabel = "inline|threaded",
            description = "Which threads send and receive: the waiting thread, or threads of the transport. Setting"
                    + " jwarp.progress.")
    private @Nullable Progress progress;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Any other setting of the stack; 'jwarp config' lists them. Can be given more than once.")
    private Map<String, String> others = new LinkedHashMap<>();

    /** Made by picocli. */
    public SettingFlags() {}

    /** {@return the settings that were given on the command line} */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>(others);
        if (progress != null) {
            settings.put("jwarp.progress", progress.name().toLowerCase(Locale.ROOT));
        }
        return settings;
    }

    /**
     * Rejects unknown settings on the command line, and warns of unknown settings in the environment and in the system
     * properties.
     */
    public final void check(RdmaProvider provider, Console console) {
        Set<String> keys = new HashSet<>();
        Set<String> variables = new HashSet<>(OWN_VARIABLES);
        Stream.concat(provider.settings().stream(), SocketSetting.all().stream().map(EffectiveSetting::setting))
                .forEach(setting -> {
                    keys.add(setting.key());
                    variables.add(setting.environmentVariable());
                });
        provider.configuration(settings());
        List<String> unknown = new ArrayList<>();
        console.properties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PREFIX) && !keys.contains(name))
                .forEach(unknown::add);
        console.environment().keySet().stream()
                .filter(name -> name.startsWith(ENVIRONMENT_PREFIX) && !variables.contains(name))
                .forEach(unknown::add);
        unknown.stream()
                .sorted()
                .forEach(name -> console.note("warning: there is no setting " + name + "; 'jwarp config' lists them"));
    }

    /** Rejects {@code --progress}, for tools that use the sockets, whose progress is always inline. */
    public final void refuseProgress(String why) {
        if (settings().containsKey("jwarp.progress")) {
            throw ToolFailure.usage("--progress has no meaning here", why);
        }
    }

    /** Selects threaded progress unless the user has set {@code jwarp.progress}. For tools with many threads. */
    public final void preferThreads(RdmaProvider provider) {
        if (said(provider, "jwarp.progress") == null) {
            progress = Progress.THREADED;
        }
    }

    /**
     * Changes the value of a setting unless the user has set the setting. For tools whose exchange needs that value.
     */
    public final void prefer(RdmaProvider provider, String key, String value) {
        if (said(provider, key) == null) {
            others.put(key, value);
        }
    }

    /** {@return the value that the user has set by flag, property or environment; null if the default is in force} */
    public final @Nullable String said(RdmaProvider provider, String key) {
        return provider.configuration(settings()).stream()
                .filter(s -> s.setting().key().equals(key) && s.source() != Source.DEFAULT)
                .map(EffectiveSetting::value)
                .findAny()
                .orElse(null);
    }

    /** {@return every setting in force, for JSON} */
    public final Map<String, Json.EffectiveSetting> effective(RdmaProvider provider) {
        Map<String, Json.EffectiveSetting> effective = new LinkedHashMap<>();
        provider.configuration(settings())
                .forEach(s ->
                        effective.put(s.setting().key(), new Json.EffectiveSetting(s.value(), source(s.source()))));
        return effective;
    }

    /** {@return the source of a value, as shown to the user} */
    public static String source(Source source) {
        return switch (source) {
            case DEFAULT -> "default";
            case PROPERTY -> "property";
            case ENVIRONMENT -> "environment";
            case EXPLICIT -> "flag";
        };
    }
}
