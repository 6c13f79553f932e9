package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of a connection, which the three counterparts share. */
abstract class CounterpartCommand extends DeviceCommand {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Option(names = "-s", paramLabel = "HOST", description = "The server to connect to.")
    private @Nullable String server;

    @Option(names = "-b", paramLabel = "ADDRESS", description = "The local address, default any.")
    private @Nullable String local;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7471", description = "The port, default 7471.")
    private int port;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long to wait for the peer, 0 without end; default 30.")
    private @Nullable Double timeout;

    CounterpartCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    final boolean client() {
        return server != null;
    }

    Context open(RdmaProvider rdma) {
        if (port < 0 || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535");
        }
        stream.check(rdma, console);
        return rdma.devices().get(0).open(stream.settings());
    }

    InetSocketAddress remote() {
        return Addresses.resolve(String.valueOf(server), port);
    }

    @Nullable
    InetSocketAddress source() {
        return local == null ? null : Addresses.resolve(local, 0);
    }

    InetSocketAddress ear() {
        return Addresses.resolve(local == null ? "0.0.0.0" : local, port);
    }

    Duration limit() {
        return Timeout.limit(timeout, LIMIT, Link.FOREVER);
    }

    /** {@return the request of the next client} */
    CmId next(Listening listening) {
        return listening.required(limit());
    }
}
