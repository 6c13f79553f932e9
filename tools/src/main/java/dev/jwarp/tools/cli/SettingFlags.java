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

/** Flags that every tool with a device has. Each is a setting by a shorter name. */
public class SettingFlags {
    private static final String PREFIX = "jwarp.";
    private static final String ENVIRONMENT_PREFIX = "JWARP_";
    /** Read by the launcher and by the tools: no settings of the stack. */
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

    /** {@return what was given on the command line, as settings} */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>(others);
        if (progress != null) {
            settings.put("jwarp.progress", progress.name().toLowerCase(Locale.ROOT));
        }
        return settings;
    }

    /**
     * Refuses settings of the command line that the provider does not know, and warns of such in the environment and among the system
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

    /** Refuses {@code --progress}, for tools that stand on sockets, which are inline. */
    public final void refuseProgress(String why) {
        if (settings().containsKey("jwarp.progress")) {
            throw ToolFailure.usage("--progress has no meaning here", why);
        }
    }

    /** Takes threads of the transport, unless the user has said how progress is to be made. For tools of many threads. */
    public final void preferThreads(RdmaProvider provider) {
        if (said(provider, "jwarp.progress") == null) {
            progress = Progress.THREADED;
        }
    }

    /** Takes another value for a setting, unless the user has said which one. For tools whose exchange needs it. */
    public final void prefer(RdmaProvider provider, String key, String value) {
        if (said(provider, key) == null) {
            others.put(key, value);
        }
    }

    /** {@return what the user has said for a setting, by flag, property or environment; null where the default holds} */
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

    /** {@return where a value comes from, in the user's words} */
    public static String source(Source source) {
        return switch (source) {
            case DEFAULT -> "default";
            case PROPERTY -> "property";
            case ENVIRONMENT -> "environment";
            case EXPLICIT -> "flag";
        };
    }
}
