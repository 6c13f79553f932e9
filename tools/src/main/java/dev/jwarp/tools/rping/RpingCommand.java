package dev.jwarp.tools.rping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp rping}: rping of rdma-core, both ends. */
@Command(
        name = "rping",
        description = {
            "Ping over RDMA: each round reads the client's data with an RDMA Read, and writes them back with an RDMA"
                    + " Write. Flags and exchange are those of rping in rdma-core."
        })
public final class RpingCommand extends ToolCommand implements PingVoice {
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private final Supplier<RdmaProvider> provider;
    private @Nullable Object result;

    @Option(names = "-s", description = "Be the server.")
    private boolean server;

    @Option(names = "-c", description = "Be the client.")
    private boolean client;

    @Option(
            names = "-a",
            paramLabel = "ADDRESS",
            description = "Server: the address to listen on, default any; ::0 for any with IPv6. Client: the server's"
                    + " address.")
    private @Nullable String address;

    @Option(names = "-I", paramLabel = "ADDRESS", description = "Client: the local address to connect from.")
    private @Nullable String source;

    @Option(names = "-p", paramLabel = "PORT", defaultValue = "7174", description = "The port, default 7174.")
    private int port;

    @Option(names = "-C", paramLabel = "COUNT", description = "Client: how many rounds; default 0, without end.")
    private int count;

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            defaultValue = "64",
            description = "Client: bytes of a ping, 27 to 65535, default 64. A server takes any size.")
    private int size;

    @Option(names = "-v", description = "Show the data of each ping.")
    private boolean verbose;

    @Option(
            names = "-V",
            description = "Compare the data: the client with what it sent, the server with a ping's text.")
    private boolean validate;

    @Option(names = "-d", description = "Print each step on standard error.")
    private boolean debug;

    @Option(
            names = "-P",
            description = "Server: serve clients, many at a time, until stopped. Implies --progress threaded.")
    private boolean persistent;

    @Option(names = "-q", description = "Accepted for scripts; all queue pairs of jwarp are set up the same way.")
    @SuppressWarnings("UnusedVariable") // nothing depends on it
    private boolean ownQueuePair;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Client: time between the starts of two rounds, such as 0.2; default none.")
    private double interval;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "How long to wait for the peer, 0 without end. Default 30, but a server waits for a client, and"
                            + " for its next round, without end.")
    private @Nullable Double timeout;

    @Option(names = "--quiet", description = "No line of progress each second.")
    private boolean quiet;

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** @param provider of the device */
    public RpingCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        PingSettings settings = checked();
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        if (persistent) {
            stream.preferThreads(rdma);
        }
        try (Context context = rdma.devices().get(0).open(stream.settings())) {
            if (client) {
                ping(context, settings);
            } else if (persistent) {
                servePersistently(context, settings);
            } else {
                serveOne(context, settings);
            }
        }
    }

    private PingSettings checked() {
        if (server == client) {
            throw ToolFailure.usage(
                    server ? "-s and -c exclude each other" : "say -s for the server or -c for the client");
        }
        if (client && address == null) {
            throw ToolFailure.usage("-c needs -a: the address of the server");
        }
        if (client && persistent) {
            throw ToolFailure.usage("-P is for the server, -s");
        }
        if (server && source != null) {
            throw ToolFailure.usage("-I is for the client, -c");
        }
        if (size < PingText.MIN_SIZE || size > PingText.MAX_SIZE) {
            throw ToolFailure.usage(
                    "-S " + size + " is out of range: " + PingText.MIN_SIZE + " to " + PingText.MAX_SIZE);
        }
        if (count < 0) {
            throw ToolFailure.usage("-C " + count + " is out of range: 0 (without end) or more");
        }
        if (port < (server ? 0 : 1) || port > 65_535) {
            throw ToolFailure.usage("-p " + port + " is out of range: 1 to 65535");
        }
        return new PingSettings(
                verbose,
                validate,
                count,
                size,
                Timeout.seconds("-i", interval),
                Timeout.limit(timeout, ANSWER, Link.FOREVER),
                Timeout.limit(timeout, Link.FOREVER, Link.FOREVER));
    }

    private void ping(Context context, PingSettings settings) {
        InetSocketAddress remote = Addresses.resolve(String.valueOf(address), port);
        InetSocketAddress local = source == null ? null : Addresses.resolve(source, 0);
        try (PingClient ping = new PingClient(context, remote, local, settings, this, quiet || verbose)) {
            try {
                ping.run();
            } catch (EndedEarly e) {
                trace("ended early");
            } finally {
                tell(ping.statistics(), ping.peerHost());
                result = new Outcome("client", ping.summary(), null);
            }
        }
    }

    private void serveOne(Context context, PingSettings settings) {
        try (Listening listening = Listening.aloud(context, console, local())) {
            CmId request = null;
            boolean served = false;
            while (!served) {
                request = request == null ? listening.next(settings.idleLimit()) : request;
                if (request == null) {
                    throw ToolFailure.setup("no client came within " + Timeout.text(settings.idleLimit()));
                }
                AtomicReference<@Nullable CmId> next = new AtomicReference<>();
                served = serveOne(
                        request,
                        settings,
                        () -> next.updateAndGet(one -> one == null ? listening.poll() : one) != null);
                request = next.get();
            }
        }
    }

    /** {@return whether it was a client: a stranger is told of, and does not end a server that waits for one} */
    private boolean serveOne(CmId request, PingSettings settings, BooleanSupplier others) {
        boolean met = false;
        try (PingServer ping = PingServer.of(request, settings, this)) {
            ping.accept();
            ping.meet(others);
            met = true;
            try {
                ping.run();
            } catch (EndedEarly e) {
                trace("ended early");
            } finally {
                tell(ping.statistics(), ping.peerHost());
                result = new Outcome("server", ping.summary(), null);
            }
        } catch (ToolFailure | RdmaException e) {
            if (met) {
                throw e;
            }
            console.note("refused a client: " + Failures.explain(e, false).sentence());
        }
        return met;
    }

    private void servePersistently(Context context, PingSettings settings) {
        PersistentServer clients = new PersistentServer(settings, this);
        try (Listening listening = Listening.aloud(context, console, local())) {
            try {
                while (true) {
                    CmId request = listening.next(Link.FOREVER);
                    if (request != null) {
                        clients.serve(request);
                    }
                }
            } catch (EndedEarly e) {
                trace("ended early");
            } finally {
                clients.awaitLastWords();
                line(clients.totals().toString());
                result = new Outcome("server", null, clients.totals());
            }
        }
    }

    private InetSocketAddress local() {
        return Addresses.resolve(address == null ? "0.0.0.0" : address, port);
    }

    private void tell(Statistics statistics, String peerHost) {
        // In one piece: a server may have several clients.
        line(String.join(System.lineSeparator(), statistics.lines(peerHost)));
    }

    /** The result of a run, for JSON: of one connection, or of a server of many. */
    private record Outcome(String role, Statistics.@Nullable Summary ping, PersistentServer.@Nullable Totals totals) {}

    @Override
    public Console console() {
        return console;
    }

    @Override
    public void data(String line) {
        line(line);
    }

    @Override
    public void trace(String step) {
        super.trace(step);
    }

    @Override
    protected boolean debug() {
        return debug || super.debug();
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Map.of(
                "-n", "the number of rounds is -C",
                "-t", "rping has no such flag either; the limit for an answer is --timeout",
                "-W", "the limit for an answer is --timeout");
    }

    @Override
    protected @Nullable Object result() {
        return result;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
