package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.SettingFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.UdpingClient.PingKind;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp udping}: client and server of a ping over datagrams. */
@Command(
        name = "udping",
        description = {
            "Ping over datagrams: by Sends, Write-Records or Reads, one at a time; report lost and partial pings, and"
                    + " round-trip times. There is no connection, and nothing is repeated.",
            "The client finds the server's queue pair by a request to its port. A server serves any number of clients"
                    + " until it is stopped."
        })
public final class UdpingCommand extends PingCommand {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            defaultValue = "64",
            description = "Client: bytes of a ping, 16 to 64K, default 64. More than about 1400 are several datagrams.")
    private String size = "64";

    @Option(
            names = {"-o", "--operation"},
            paramLabel = "send|write|read",
            defaultValue = "send",
            description =
                    "Client: the operation of a ping. send: a Send, echoed by a Send. write: a Write-Record, answered"
                            + " by a Send with the number of arrived bytes. read: a Read of the server's memory. Default"
                            + " send.")
    private PingKind kind = PingKind.SEND;

    @Option(
            names = {"-W", "--wait"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Client: how long to wait for an answer before the ping is lost, default 1.")
    private double wait = 1;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Client: how long to look for the server, default 5.")
    private @Nullable Double timeout;

    @Option(
            names = "--inject",
            paramLabel = "FAULTS",
            description = "Drop, duplicate or delay datagrams of this end, such as loss=5%%,seed=7. Setting"
                    + " jwarp.udp.inject.")
    private @Nullable String inject;

    @Mixin
    private SettingFlags flags = new SettingFlags();

    /** @param provider of the device */
    public UdpingCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    SettingFlags flags() {
        return flags;
    }

    @Override
    PingSettings checked(boolean server) {
        int octets = size(size, UdpingServer.LEAST, UdpingServer.MOST, UdpingServer.LEAST + " to 64K");
        if (!(wait > 0)) {
            throw ToolFailure.usage("-W " + wait + " is out of range: more than 0 seconds");
        }
        return settings(octets, Timeout.seconds("-W", wait), Timeout.limit(timeout, LIMIT, Link.FOREVER), true);
    }

    @Override
    Context open(RdmaProvider rdma) {
        Map<String, String> settings = flags.settings();
        if (inject != null) {
            settings.put("jwarp.udp.inject", inject);
        }
        return DatagramLink.device(rdma).open(settings);
    }

    @Override
    UdpingClient client(
            Context context, InetSocketAddress remote, @Nullable InetSocketAddress local, PingSettings settings) {
        return new UdpingClient(context, remote, local, settings, kind, this);
    }

    @Override
    void serve(Context context, InetSocketAddress local, PingSettings settings) {
        try (UdpingServer serving = new UdpingServer(context, console, local)) {
            conduct(serving::run, () -> tellAll(serving.totals()));
        }
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Map.of(
                "-V", "udping always compares the data",
                "-P", "the server always serves any number of clients",
                "-n", "the number of pings is -C");
    }
}
