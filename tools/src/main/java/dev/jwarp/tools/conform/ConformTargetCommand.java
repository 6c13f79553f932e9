package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp conform-target}: a program on jwarp that executes the commands of a tester. */
@Command(
        name = "conform-target",
        description = {
            "Execute the commands of a tester ('jwarp conform --profile echo'): send, write, read, register, end.",
            "Every host that can connect can read and write its memory: run it only for tests."
        })
public final class ConformTargetCommand extends DeviceCommand {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = 100_000_000;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            description = "Serve any number of testers on this port, until stopped; port 0 is a free one.")
    private @Nullable String listen;

    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description = "Connect again and again to a tester that listens there ('jwarp conform --listen').")
    private @Nullable String connect;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "With --connect: end when no program has listened there for this time, 0 for never; default 30.")
    private @Nullable Double timeout;

    @Option(
            names = "--datagram",
            description = "With --listen: be a target for datagrams ('jwarp conform --datagram'). The target gets its"
                    + " commands over TCP on that port, and has UDP ports of its own.")
    private boolean datagram;

    /** The result, for JSON. */
    record Outcome(String role, int conversations) {}

    /** @param provider of the device */
    public ConformTargetCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        if ((listen == null) == (connect == null)) {
            throw ToolFailure.usage("one of --listen [HOST:]PORT and --connect HOST:PORT is needed");
        }
        if (listen != null && timeout != null) {
            throw ToolFailure.usage("--timeout is for --connect");
        }
        if (datagram && listen == null) {
            throw ToolFailure.usage("--datagram is for --listen");
        }
        if (datagram && "inline".equals(stream.settings().get("jwarp.progress"))) {
            throw ToolFailure.usage(
                    "--datagram needs --progress threaded, which is its default, to answer at any time");
        }
        Duration patience = Timeout.limit(timeout, LIMIT, Link.FOREVER);
        InetSocketAddress address =
                listen != null ? Addresses.toListenOn(listen) : Addresses.resolveWithPort(String.valueOf(connect));
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        if (datagram) {
            int served = DatagramTarget.serve(rdma, stream.settings(), console, address, LOOK_NANOS);
            result = new Outcome("datagram", served);
            line("conform-target: " + served + " conversations");
            return;
        }
        ConformTarget target = new ConformTarget(rdma.devices().get(0), stream.settings(), console);
        try (target) {
            if (listen != null) {
                console.note("listening on " + Addresses.text(target.listen(address)));
                while (!interrupted()) {
                    console.interruption().pause(LOOK_NANOS);
                }
            } else {
                console.note("connecting to " + Addresses.text(address));
                target.connect(address, patience);
            }
        }
        // Counted after the close, when all conversations have ended.
        Outcome outcome = new Outcome(listen != null ? "responder" : "initiator", target.served());
        line("conform-target: " + target.served() + " conversations");
        result = outcome;
        if (connect != null && outcome.conversations() == 0 && !interrupted()) {
            throw ToolFailure.setup(
                    "no program listened on " + connect + " for " + Timeout.text(patience),
                    "start the tester there: jwarp conform --profile echo --listen " + address.getPort());
        }
    }
}
