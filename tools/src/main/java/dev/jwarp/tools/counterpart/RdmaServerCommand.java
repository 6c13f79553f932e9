package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code jwarp rdma-server}: answers one message, as rdma_server of rdma-core does. */
@Command(
        name = "rdma-server",
        hidden = true,
        description = "Wait for one message of rdma_client of rdma-core, and answer it.")
public final class RdmaServerCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private boolean done;

    @Mixin
    private ConnectionFlags connection = new ConnectionFlags();

    /** @param provider of the device */
    public RdmaServerCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        if (connection.client()) {
            throw ToolFailure.usage("-s is for rdma-client");
        }
        try (Context context = connection.open(provider.get(), console);
                Listening listening = Listening.aloud(context, console, connection.ear())) {
            CmId request = listening.next(connection.limit());
            if (request == null) {
                throw ToolFailure.setup("no client came within " + Timeout.text(connection.limit()));
            }
            try (Link link = Link.from(request, console, OneMessage.DEPTHS)) {
                OneMessage message = new OneMessage(link, connection.limit());
                link.accept(ConnectionParameters.DEFAULT);
                message.receive();
                message.send();
                link.disconnect();
            }
            done = true;
            line("rdma-server: received 16 bytes, sent 16 bytes");
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
