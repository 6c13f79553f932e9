package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.SettingFlags;
import dev.jwarp.tools.cli.StreamFlags;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.ping.PingClient.PingSettings;
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

/** {@code jwarp rping}: client and server of rping of rdma-core. */
@Command(
        name = "rping",
        description = {
            "Ping over RDMA: in each round the server reads the client's data with an RDMA Read, and writes it back"
                    + " with an RDMA Write. Flags and exchange are those of rping in rdma-core."
        })
public final class RpingCommand extends PingCommand {
    private static final Duration ANSWER = Duration.ofSeconds(30);

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            defaultValue = "64",
            description = "Client: bytes of a ping, 27 to 65535, default 64. A server takes any size.")
    private String size = "64";

    @Option(
            names = "-V",
            description = "Compare the data: the client with what it sent, the server with a ping's text.")
    private boolean validate;

    @Option(names = "-d", description = "Print each step on standard error.")
    private boolean debug;

    @Option(
            names = "-P",
            description = "Server: serve many clients at a time, until stopped. Implies --progress threaded.")
    private boolean persistent;

    @Option(names = "-q", description = "Accepted for scripts; all queue pairs of jwarp are set up the same way.")
    @SuppressWarnings("UnusedVariable") // nothing depends on it
    private boolean ownQueuePair;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "How long to wait for the peer, 0 without end. Default 30; a server waits for a client, and for its"
                            + " next round, without end.")
    private @Nullable Double timeout;

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** @param provider of the device */
    public RpingCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    @Override
    SettingFlags flags() {
        return stream;
    }

    @Override
    PingSettings checked(boolean server) {
        if (!server && persistent) {
            throw ToolFailure.usage("-P is for the server, -s");
        }
        return settings(
                size(size, PingText.MIN_SIZE, PingText.MAX_SIZE, PingText.MIN_SIZE + " to " + PingText.MAX_SIZE),
                Timeout.limit(timeout, ANSWER, Link.FOREVER),
                Timeout.limit(timeout, Link.FOREVER, Link.FOREVER),
                validate);
    }

    @Override
    Context open(RdmaProvider rdma) {
        if (persistent) {
            stream.preferThreads(rdma);
        }
        return rdma.devices().get(0).open(stream.settings());
    }

    @Override
    RpingClient client(
            Context context, InetSocketAddress remote, @Nullable InetSocketAddress local, PingSettings settings) {
        return new RpingClient(context, remote, local, settings, this);
    }

    @Override
    void serve(Context context, InetSocketAddress local, PingSettings settings) {
        try (Listening listening = Listening.aloud(context, console, local)) {
            if (persistent) {
                serveMany(listening, settings);
            } else {
                serveOne(listening, settings);
            }
        }
    }

    private void serveOne(Listening listening, PingSettings settings) {
        CmId request = null;
        boolean served = false;
        while (!served) {
            request = request == null ? listening.required(settings.peerLimit()) : request;
            AtomicReference<@Nullable CmId> next = new AtomicReference<>();
            served = serveOne(
                    request, settings, () -> next.updateAndGet(one -> one == null ? listening.poll() : one) != null);
            request = next.get();
        }
    }

    /**
     * {@return whether a client was served} A peer that is not rping gets a note, and the server waits for the next
     * one.
     */
    private boolean serveOne(CmId request, PingSettings settings, BooleanSupplier others) {
        boolean met = false;
        try (RpingServer ping = RpingServer.of(request, settings, this)) {
            ping.accept();
            ping.meet(others);
            met = true;
            conduct(ping::run, () -> tell("server", ping.rounds(), ping.peerHost(), ping.summary()));
        } catch (ToolFailure | RdmaException e) {
            if (met) {
                throw e;
            }
            console.note("refused a client: " + Failures.explain(e, false).sentence());
        }
        return met;
    }

    private void serveMany(Listening listening, PingSettings settings) {
        PersistentServer clients = new PersistentServer(settings, this);
        conduct(() -> serveMany(listening, clients), () -> {
            clients.awaitLastWords();
            tellAll(clients.totals());
        });
    }

    private static void serveMany(Listening listening, PersistentServer clients) {
        while (true) {
            CmId request = listening.next(Link.FOREVER);
            if (request != null) {
                clients.serve(request);
            }
        }
    }

    @Override
    protected boolean debug() {
        return debug || super.debug();
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Map.of(
                "-n", "the number of rounds is -C",
                "-t", "rping of rdma-core has no -t, either; the limit for an answer is --timeout",
                "-W", "the limit for an answer is --timeout");
    }
}
