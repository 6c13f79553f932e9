package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code jwarp rdma-client}: sends one message and receives the answer, as rdma_client of rdma-core does. */
@Command(
        name = "rdma-client",
        hidden = true,
        description = "Send one message to rdma_server of rdma-core, and wait for the answer.")
public final class RdmaClientCommand extends CounterpartCommand {
    /** @param provider of the device */
    public RdmaClientCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        if (!client()) {
            throw ToolFailure.usage("-s is missing: the server to connect to");
        }
        try (Context context = open(provider.get());
                Link link = Link.to(remote(), source(), context, console, OneMessage.DEPTHS)) {
            OneMessage message = new OneMessage(link, limit());
            link.connect(ConnectionParameters.DEFAULT, limit());
            message.send();
            message.receive();
            link.disconnect();
            result = OneMessage.RESULT;
            line("rdma-client: sent 16 bytes, received 16 bytes");
        }
    }
}
