package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that the three counterparts share. */
public final class ConnectionFlags {
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

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** Made by picocli. */
    public ConnectionFlags() {}

    boolean client() {
        return server != null;
    }

    StreamFlags stream() {
        return stream;
    }

    Context open(RdmaProvider rdma, Console console) {
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
}
