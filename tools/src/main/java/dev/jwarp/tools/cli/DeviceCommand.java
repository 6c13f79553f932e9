package dev.jwarp.tools.cli;

import dev.jwarp.verbs.RdmaProvider;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/** A command that opens devices: its flags are settings of the stack, and {@code --json} shows them. */
public abstract class DeviceCommand extends ToolCommand {
    /** The provider of the devices. */
    protected final Supplier<RdmaProvider> provider;

    /** The settings of the command line. */
    @Mixin
    protected StreamFlags stream = new StreamFlags();

    protected DeviceCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
