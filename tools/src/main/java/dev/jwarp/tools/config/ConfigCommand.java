package dev.jwarp.tools.config;

import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Nearest;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code jwarp config}: every setting, its value, the source of the value, and its meaning. */
@Command(
        name = "config",
        description = {
            "Show every setting: its value, the source of the value, and its meaning.",
            "A flag overrides the system property (jwarp.mpa.crc), which overrides the environment variable"
                    + " (JWARP_MPA_CRC), which overrides the default."
        })
public final class ConfigCommand extends DeviceCommand {
    private static final String PREFIX = "jwarp.";

    private final List<Entry> entries = new ArrayList<>();

    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description =
                    "Show only these settings: jwarp.mpa.crc, mpa.crc or JWARP_MPA_CRC; or a group: jwarp.mpa or mpa.")
    private List<String> names = List.of();

    /** One setting, for JSON. */
    record Entry(
            String key,
            String value,
            String source,
            String defaultValue,
            String allowed,
            String environmentVariable,
            String sentence) {}

    /** @param provider the provider whose settings are shown */
    public ConfigCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        checkValues(rdma);
        List<EffectiveSetting> all = new ArrayList<>(rdma.configuration(stream.settings()));
        all.addAll(SocketSetting.all());
        Set<String> wanted = new HashSet<>();
        names.forEach(name -> wanted.addAll(meant(name, all)));
        for (EffectiveSetting effective : all) {
            if (!names.isEmpty() && !wanted.contains(effective.setting().key())) {
                continue;
            }
            Entry entry = new Entry(
                    effective.setting().key(),
                    effective.value(),
                    StreamFlags.source(effective.source()),
                    effective.setting().defaultValue(),
                    effective.setting().allowed(),
                    effective.setting().environmentVariable(),
                    effective.setting().sentence());
            entries.add(entry);
            line(entry.key() + " = " + word(entry.value()) + "  (" + entry.source() + ")");
            line("    " + entry.sentence());
            line("    allowed: " + entry.allowed() + "; default: " + word(entry.defaultValue()));
        }
    }

    /** {@return the key of the setting with that name, else the keys of the group with that name} */
    private static List<String> meant(String name, List<EffectiveSetting> all) {
        List<String> keys = all.stream().map(one -> one.setting().key()).toList();
        List<String> variables =
                all.stream().map(one -> one.setting().environmentVariable()).toList();
        if (variables.contains(name)) {
            return List.of(keys.get(variables.indexOf(name)));
        }
        for (String whole : List.of(name, PREFIX + name)) {
            if (keys.contains(whole)) {
                return List.of(whole);
            }
            List<String> group =
                    keys.stream().filter(key -> key.startsWith(whole + ".")).toList();
            if (!group.isEmpty()) {
                return group;
            }
        }
        List<String> known = new ArrayList<>(keys);
        keys.forEach(key -> known.add(key.substring(PREFIX.length())));
        known.addAll(variables);
        throw ToolFailure.usage(
                "there is no setting " + name + Nearest.question(name, known), "'jwarp config' lists them");
    }

    /** Opens a device, which checks the values. The capture is off because it would overwrite an earlier capture. */
    private void checkValues(RdmaProvider rdma) {
        Map<String, String> settings = new HashMap<>(stream.settings());
        settings.put("jwarp.tcp.pcap", "");
        rdma.devices().get(0).open(settings).close();
    }

    private static String word(String value) {
        return value.isEmpty() ? "nothing" : value;
    }

    @Override
    protected @Nullable Object result() {
        return entries.isEmpty() ? null : Map.of("settings", entries);
    }
}
