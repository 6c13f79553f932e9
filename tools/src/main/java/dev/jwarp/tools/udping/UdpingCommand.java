package dev.jwarp.tools.udping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.SettingFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
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
            "The client finds the server's queue pair by asking its port."
        })
public final class UdpingCommand extends ToolCommand {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Supplier<RdmaProvider> provider;
    private @Nullable Outcome result;

    @Option(names = "-s", description = "Be the server; it serves any number of clients until it is stopped.")
    private boolean server;

    @Option(names = "-c", description = "Be the client.")
    private boolean client;

    @Option(
            names = "-a",
            paramLabel = "ADDRESS",
            description = "Server: the address to listen on, default all, of both versions of IP. Client: the"
                    + " server's address.")
    private @Nullable String address;

    @Option(names = "-I", paramLabel = "ADDRESS", description = "Client: the local address to ping from.")
    private @Nullable String source;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", description = "The UDP port, default 7174.")
    private int port;

    @Option(names = "-C", paramLabel = "COUNT", description = "Client: how many pings; default 0, without end.")
    private long count;

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

    @Option(names = "-v", description = "Client: print each ping.")
    private boolean verbose;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Client: time between the starts of two pings, such as 0.2; default none.")
    private double interval;

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

    @Option(names = "--quiet", description = "No line of progress each second.")
    private boolean quiet;

    @Mixin
    private SettingFlags flags = new SettingFlags();

    /** The result of a run, for JSON. */
    record Outcome(String role, UdpingStatistics.@Nullable Summary ping, UdpingServer.@Nullable Totals totals) {}

    /** @param provider of the device */
    public UdpingCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        UdpingSettings settings = checked();
        RdmaProvider rdma = provider.get();
        flags.check(rdma, console);
        Map<String, String> openWith = flags.settings();
        if (inject != null) {
            openWith.put("jwarp.udp.inject", inject);
        }
        try (Context context = DatagramLink.device(rdma).open(openWith)) {
            if (client) {
                ping(context, settings);
            } else {
                serve(context);
            }
        }
    }

    private UdpingSettings checked() {
        if (server == client) {
            throw ToolFailure.usage(
                    server ? "-s and -c exclude each other" : "say -s for the server or -c for the client");
        }
        if (client && address == null) {
            throw ToolFailure.usage("-c needs -a: the address of the server");
        }
        if (server && source != null) {
            throw ToolFailure.usage("-I is for the client, -c");
        }
        if (count < 0) {
            throw ToolFailure.usage("-C " + count + " is out of range: 0 (without end) or more");
        }
        if (port < (server ? 0 : 1) || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535");
        }
        long octets = octets();
        if (octets < UdpingSettings.LEAST || octets > UdpingSettings.MOST) {
            throw ToolFailure.usage("-S " + size + " is out of range: " + UdpingSettings.LEAST + " to 64K");
        }
        if (!(wait > 0)) {
            throw ToolFailure.usage("-W " + wait + " is out of range: more than 0 seconds");
        }
        return new UdpingSettings(
                kind,
                count,
                (int) octets,
                Timeout.seconds("-i", interval),
                Timeout.seconds("-W", wait),
                Timeout.limit(timeout, LIMIT, Link.FOREVER),
                verbose,
                quiet || verbose);
    }

    private long octets() {
        try {
            return Quantities.bytes(size);
        } catch (NumberFormatException e) {
            throw ToolFailure.usage("-S: " + e.getMessage());
        }
    }

    private void ping(Context context, UdpingSettings settings) {
        InetSocketAddress remote = Addresses.resolve(String.valueOf(address), port);
        InetSocketAddress local = source == null ? null : Addresses.resolve(source, 0);
        try (UdpingClient ping = new UdpingClient(context, console, remote, local, settings, this::line)) {
            try {
                ping.run();
            } catch (EndedEarly e) {
                trace("ended early");
            } finally {
                ping.statistics().lines(Addresses.host(remote)).forEach(this::line);
                result = new Outcome("client", ping.summary(), null);
            }
            judge(ping.statistics(), remote);
        }
    }

    private static void judge(UdpingStatistics statistics, InetSocketAddress remote) {
        if (statistics.differentSoFar() > 0) {
            throw ToolFailure.failed(statistics.differentSoFar() + " pings came back different from what was sent");
        }
        if (statistics.sentSoFar() > 0 && !statistics.anyAnswer()) {
            throw ToolFailure.failed("none of the pings to " + Addresses.text(remote) + " came back");
        }
    }

    private void serve(Context context) {
        InetSocketAddress local = Addresses.resolve(address == null ? "0.0.0.0" : address, port);
        try (UdpingServer serving = new UdpingServer(context, console, local)) {
            try {
                serving.run();
            } catch (EndedEarly e) {
                trace("ended early");
            } finally {
                UdpingServer.Totals totals = serving.totals();
                line(totals.answered() + " pings answered, of " + totals.clients() + " clients");
                result = new Outcome("server", null, totals);
            }
        }
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Map.of(
                "-V", "what comes back is always compared",
                "-P", "the server always serves any number of clients",
                "-n", "the number of pings is -C");
    }

    @Override
    protected @Nullable Object result() {
        return result;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return flags.effective(provider.get());
    }
}
