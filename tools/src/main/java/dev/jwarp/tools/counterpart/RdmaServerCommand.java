package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code jwarp rdma-server}: answers one message, as rdma_server of rdma-core does. */
@Command(
        name = "rdma-server",
        hidden = true,
        description = "Wait for one message of rdma_client of rdma-core, and answer it.")
public final class RdmaServerCommand extends CounterpartCommand {
    /** @param provider of the device */
    public RdmaServerCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        if (client()) {
            throw ToolFailure.usage("-s is for rdma-client");
        }
        try (Context context = open(provider.get());
                Listening listening = Listening.aloud(context, console, ear())) {
            try (Link link = Link.from(next(listening), console, OneMessage.DEPTHS)) {
                OneMessage message = new OneMessage(link, limit());
                link.accept(ConnectionParameters.DEFAULT);
                message.receive();
                message.send();
                link.disconnect();
            }
            result = OneMessage.RESULT;
            line("rdma-server: received 16 bytes, sent 16 bytes");
        }
    }
}
