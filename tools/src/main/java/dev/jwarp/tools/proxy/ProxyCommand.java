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
            "Carry streams from TCP to RDMA, or from RDMA to TCP, and datagrams from UDP to RDMA and back, so that programs as they are take part.",
            "One in front of the client (-l tcp://... -t rdma://...) and one in front of the server (-l rdma://... -t tcp://...)"
                    + " bring any two programs of TCP together over RDMA. The bytes go as librdmacm's rsockets send them, so either"
                    + " end can be a program with rsockets or with jwarp's sockets instead.",
            "With udp:// on either side it carries datagrams, which are datagram-iWARP at rdma://. Each address that sends some has a session: a port of its own on the other side,"
                    + " whose answers go back to it. Anyone can send in the name of an address, so it gets no more than three times the bytes that came from it; it gets all answers where"
                    + " --set jwarp.udp.trust=CIDR says that it cannot be forged."
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
            description = "Where clients connect to; port 0 is a free one.")
    private String listen = "";

    @Option(
            names = {"-t", "--to"},
            required = true,
            paramLabel = "rdma|tcp|udp://HOST:PORT",
            description = "Where each of them is carried to.")
    private String to = "";

    @Option(
            names = {"-n", "--connections"},
            paramLabel = "N",
            description = "End when so many connections, or sessions, are over; default: at Ctrl-C.")
    private long most;

    @Option(
            names = {"-T", "--idle"},
            paramLabel = "SECONDS",
            description = "With udp://: a session in which nothing was said for so long is over; default: 60.")
    private @Nullable Double idle;

    @Option(
            names = "--max-sessions",
            paramLabel = "N",
            description =
                    "So many connections, or sessions, at a time; then one of the host that has most ends for one of a host that has fewer; default: 1024, or 256.")
    private @Nullable Integer sessions;

    @Option(
            names = "--allow",
            split = ",",
            paramLabel = "CIDR",
            description =
                    "Serve only hosts of this network, such as 192.0.2.0/24 or 2001:db8::1; default: all. More than one is allowed.")
    private @Nullable List<String> allowed;

    /** @param provider of the device */
    public ProxyCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    protected void execute() {
        if (most < 0) {
            throw ToolFailure.usage("-n is a number of connections, not " + most);
        }
        stream.refuseProgress("one thread carries all connections, as sockets do it");
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
                    "TCP carries streams, and UDP datagrams: one cannot become the other",
                    "udp:// goes with rdma:// or udp:// on the other side");
        }
        if (at.isReachedBy(target)) {
            throw ToolFailure.usage(
                    "-t " + target + " is where this proxy listens: all that it carries would come back to it",
                    "-t is the address of a server, or of another proxy that leads to one");
        }
        if (!datagrams && idle != null) {
            throw ToolFailure.usage("-T has no meaning for streams", "it is of sessions of udp://");
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
            throw ToolFailure.usage("-T is a number of seconds above 0");
        }
        if (most < 1) {
            throw ToolFailure.usage("--max-sessions is 1 or more, not " + most);
        }
        // The default of the setting, loopback, is for programs that know their peers: a proxy believes what its user
        // has said.
        String trusted = Objects.requireNonNullElse(stream.said(provider.get(), DatagramGateway.TRUST), "");
        return new DatagramGateway.Limits(most, silent, allowed(), Objects.requireNonNull(Networks.parse(trusted)));
    }

    private Networks allowed() {
        List<String> named = allowed;
        if (named == null) {
            return Networks.ALL;
        }
        if (named.isEmpty()) { // commas alone: variables of a script that are not set
            throw ToolFailure.usage("--allow names no network", "leave it out to serve all hosts");
        }
        for (String one : named) {
            if (one.isBlank() || Networks.parse(one) == null) {
                throw ToolFailure.usage(
                        "--allow '" + one + "' is no network",
                        "it is an address in numbers, or one with the length of its prefix: 192.0.2.0/24 or 2001:db8::1");
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
