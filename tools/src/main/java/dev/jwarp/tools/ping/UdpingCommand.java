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

/** {@code jwarp udping}: rping's brother for datagrams, both ends. */
@Command(
        name = "udping",
        description = {
            "Ping over datagrams: by Sends, Write-Records or Reads, one at a time; report what was lost, what came in part,"
                    + " and how long it took. There is no connection, and nothing is sent again.",
            "The client finds the server's queue pair by asking its port. A server serves any number of clients until it is"
                    + " stopped."
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
                    "Client: what a ping is. send: a Send, and the same back. write: a Write-Record, and a Send back"
                            + " that says how much came. read: a Read of the server's memory. Default send.")
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
            description =
                    "Lose, double or delay what this end sends, such as loss=5%%,seed=7. Setting jwarp.udp.inject.")
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
                "-V", "what comes back is always compared",
                "-P", "the server always serves any number of clients",
                "-n", "the number of pings is -C");
    }
}
