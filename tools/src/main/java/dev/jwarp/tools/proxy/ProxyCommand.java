package dev.jwarp.tools.proxy;

import dev.jwarp.base.Networks;
import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp proxy}: a gateway between TCP and RDMA, or between UDP and RDMA. */
@Command(
        name = "proxy",
        description = {
            "Forward streams between TCP and RDMA, and datagrams between UDP and RDMA, for unchanged programs.",
            "A proxy in front of the client (-l tcp://... -t rdma://...) and a proxy in front of the server (-l"
                    + " rdma://... -t tcp://...) connect any two TCP programs over RDMA. The protocol is that of"
                    + " librdmacm's rsockets, so either end can be a program with rsockets or with jwarp's sockets"
                    + " instead.",
            "With udp:// on either side it forwards datagrams, which are datagram-iWARP at rdma://. Each source"
                    + " address has a session, which is a port on the other side; datagrams to that port go back to the"
                    + " source. A source address may be forged, so it gets at most three times the bytes that it has sent;"
                    + " --set jwarp.udp.trust=CIDR names networks without forged sources, whose addresses get all answers."
        })
public final class ProxyCommand extends DeviceCommand {
    private static final Duration IDLE = Duration.ofSeconds(60);
    private static final int SESSIONS = 256;
    private static final int CONNECTIONS = 1_024;
    private static final Duration CONNECT = Duration.ofSeconds(10);

    @Option(
            names = {"-l", "--listen"},
            required = true,
            paramLabel = "rdma|tcp|udp://[HOST:]PORT",
            description = "The address for clients; port 0 is a free one.")
    private String listen = "";

    @Option(
            names = {"-t", "--to"},
            required = true,
            paramLabel = "rdma|tcp|udp://HOST:PORT",
            description = "The address to forward to.")
    private String to = "";

    @Option(
            names = {"-n", "--connections"},
            paramLabel = "N",
            description = "End after so many connections or sessions; default: at Ctrl-C.")
    private long most;

    @Option(
            names = {"-T", "--idle"},
            paramLabel = "SECONDS",
            description = "With udp://: end a session after this time without datagrams; default: 60.")
    private @Nullable Double idle;

    @Option(
            names = "--max-sessions",
            paramLabel = "N",
            description =
                    "Most connections or sessions at a time; at the limit, one of the host that has most ends for a"
                            + " host that has fewer; default: 1024 connections, 256 sessions.")
    private @Nullable Integer sessions;

    @Option(
            names = "--allow",
            split = ",",
            paramLabel = "CIDR",
            description =
                    "Serve only hosts of this network, such as 192.0.2.0/24 or 2001:db8::1; default: all. More than"
                            + " one is allowed.")
    private @Nullable List<String> allowed;

    /** @param provider of the device */
    public ProxyCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        if (most < 0) {
            throw ToolFailure.usage("-n takes a number of connections, not " + most);
        }
        stream.refuseProgress("one thread forwards all connections");
        Side at = Side.parse("-l", listen, true);
        Side target = Side.parse("-t", to, false);
        boolean datagrams = at.kind() == Side.Kind.UDP || target.kind() == Side.Kind.UDP;
        checkKind(at, target, datagrams);
        stream.check(provider.get(), console);
        DatagramGateway.Limits limits = limits(datagrams);
        try (JwarpSelectorProvider sockets = new JwarpSelectorProvider(stream.settings());
                Gateway gateway = datagrams
                        ? listening(
                                at,
                                () -> new DatagramGateway(
                                        sockets, at, target, limits, console.nanoTime(), console::note))
                        : listening(
                                at,
                                () -> new StreamGateway(
                                        sockets,
                                        at,
                                        target,
                                        new StreamGateway.Limits(limits.sessions(), CONNECT, limits.allowed()),
                                        console::note))) {
            result = gateway.totals();
            console.note("listening on " + at.at(gateway.address()));
            gateway.run(most, this::interrupted);
        } catch (IOException e) {
            throw ToolFailure.failed(String.valueOf(e.getMessage()));
        }
        say();
    }

    private void checkKind(Side at, Side target, boolean datagrams) {
        if (datagrams && (at.kind() == Side.Kind.TCP || target.kind() == Side.Kind.TCP)) {
            throw ToolFailure.usage(
                    "TCP has streams, and UDP has datagrams: they cannot be converted",
                    "udp:// goes with rdma:// or udp:// on the other side");
        }
        if (at.isReachedBy(target)) {
            throw ToolFailure.usage(
                    "-t " + target + " is the address on which this proxy listens: all data would come back",
                    "-t takes the address of a server, or of another proxy that leads to a server");
        }
        if (!datagrams && idle != null) {
            throw ToolFailure.usage("-T has no meaning for streams", "it is for sessions of udp://");
        }
        if (datagrams && stream.anyOfConnections()) {
            throw ToolFailure.usage(
                    "--crc, --markers and --peer-to-peer have no meaning for datagrams", "each has its checksum");
        }
    }

    private DatagramGateway.Limits limits(boolean datagrams) {
        Duration silent = idle == null ? IDLE : Timeout.seconds("-T", idle);
        int most = sessions != null ? sessions : datagrams ? SESSIONS : CONNECTIONS;
        if (silent.isZero()) {
            throw ToolFailure.usage("-T takes seconds above 0");
        }
        if (most < 1) {
            throw ToolFailure.usage("--max-sessions takes 1 or more, not " + most);
        }
        // Only the user's value counts. The default of the setting, loopback, is for programs that know their peers.
        String trusted = Objects.requireNonNullElse(stream.said(provider.get(), DatagramGateway.TRUST), "");
        return new DatagramGateway.Limits(most, silent, allowed(), Objects.requireNonNull(Networks.parse(trusted)));
    }

    private Networks allowed() {
        List<String> named = allowed;
        if (named == null) {
            return Networks.ALL;
        }
        if (named.isEmpty()) { // only commas: unset variables of a script
            throw ToolFailure.usage("--allow names no network", "leave it out to serve all hosts");
        }
        for (String one : named) {
            if (one.isBlank() || Networks.parse(one) == null) {
                throw ToolFailure.usage(
                        "--allow '" + one + "' is not a network",
                        "a network is a numeric address, with or without a prefix length: 192.0.2.0/24 or 2001:db8::1");
            }
        }
        return Objects.requireNonNull(Networks.parse(String.join(",", named)));
    }

    /** Begins to listen. */
    private interface Opening {
        Gateway open() throws IOException;
    }

    private static Gateway listening(Side at, Opening opening) {
        try {
            return opening.open();
        } catch (IOException e) {
            throw ToolFailure.setup("cannot listen on " + at + ": " + e.getMessage());
        }
    }

    private void say() {
        if (result != null) {
            line("proxy: " + result);
        }
    }
}
