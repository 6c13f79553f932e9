package dev.jwarp.tools.config;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code jwarp config}: every setting, its value, where the value comes from, and what it does. */
@Command(
        name = "config",
        description = {
            "Show every setting: its value, where that comes from, and what it does.",
            "A flag wins over the system property (jwarp.mpa.crc), that over the environment variable"
                    + " (JWARP_MPA_CRC), that over the default."
        })
public final class ConfigCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private final List<Entry> entries = new ArrayList<>();

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** One setting, for JSON. */
    record Entry(
            String key,
            String value,
            String source,
            String defaultValue,
            String allowed,
            String environmentVariable,
            String sentence) {}

    /** @param provider whose settings */
    public ConfigCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        checkValues(rdma);
        for (EffectiveSetting effective : rdma.configuration(stream.settings())) {
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

    /** A transport judges its values when it is opened. Without a capture, which would overwrite an earlier one. */
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

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
