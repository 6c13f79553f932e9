package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code jwarp rdma-client}: sends one message and takes the answer, as rdma_client of rdma-core does. */
@Command(
        name = "rdma-client",
        hidden = true,
        description = "Send one message to rdma_server of rdma-core, and wait for the answer.")
public final class RdmaClientCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private boolean done;

    @Mixin
    private ConnectionFlags connection = new ConnectionFlags();

    /** @param provider of the device */
    public RdmaClientCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        if (!connection.client()) {
            throw ToolFailure.usage("-s is missing: the server to connect to");
        }
        try (Context context = connection.open(provider.get(), console);
                Link link = Link.to(connection.remote(), connection.source(), context, console, OneMessage.DEPTHS)) {
            OneMessage message = new OneMessage(link, connection.limit());
            link.connect(ConnectionParameters.DEFAULT, connection.limit());
            message.send();
            message.receive();
            link.disconnect();
            done = true;
            line("rdma-client: sent 16 bytes, received 16 bytes");
        }
    }

    @Override
    protected @Nullable Object result() {
        return done ? OneMessage.RESULT : null;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return connection.stream().effective(provider.get());
    }
}
