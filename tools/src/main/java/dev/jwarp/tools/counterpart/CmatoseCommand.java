package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp cmatose}: client and server of ucmatose of rdma-core. */
@Command(
        name = "cmatose",
        hidden = true,
        description = {
            "Exchange messages with ucmatose of rdma-core: first the server sends, then the client. Without -s it is"
                    + " the server.",
            "MPA allows the server to send only after the client has sent something. The client of jwarp does that;"
                    + " other clients need the peer-to-peer set-up."
        })
public final class CmatoseCommand extends CounterpartCommand {
    private static final int MOST_BYTES = 1 << 30;

    @Option(names = "-C", paramLabel = "COUNT", defaultValue = "10", description = "Messages each way, default 10.")
    private int count;

    @Option(names = "-S", paramLabel = "SIZE", defaultValue = "100", description = "Bytes of a message, default 100.")
    private int size;

    @Option(names = "-c", paramLabel = "COUNT", defaultValue = "1", description = "Connections at once, default 1.")
    private int connections;

    @Option(names = "--reject", paramLabel = "TEXT", description = "Server: reject one request, and give this reason.")
    private @Nullable String reject;

    /** @param provider of the device */
    public CmatoseCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    /** The result, for JSON. */
    record Result(
            String role,
            int connections,
            int sends,
            int receives,
            int sizeBytes,
            @Nullable String rejected) {}

    @Override
    protected void execute() {
        if (count < 0 || size < 0 || connections < 1) {
            throw ToolFailure.usage("-C and -S take numbers from 0 on, -c from 1 on");
        }
        if ((long) count * size > MOST_BYTES) {
            throw ToolFailure.usage("-C times -S is more than " + MOST_BYTES + " bytes");
        }
        if (reject != null && client()) {
            throw ToolFailure.usage("--reject is for the server, without -s");
        }
        RdmaProvider rdma = provider.get();
        if (client()) {
            // The server sends first; MPA forbids that before it has received something (RFC 5044 §7.1.2 (4)).
            stream.prefer(rdma, "jwarp.rdmap.nudge", "on");
        }
        try (Context context = open(rdma)) {
            if (client()) {
                connectAll(context);
            } else {
                serve(context);
            }
        }
    }

    private void serve(Context context) {
        try (Listening listening = Listening.aloud(context, console, ear())) {
            if (reject != null) {
                rejectOne(listening, reject);
                return;
            }
            together("server", () -> {
                CmId request = next(listening);
                return () -> {
                    try (CmatoseExchange exchange = CmatoseExchange.from(request, console, shape())) {
                        exchange.serve();
                    }
                };
            });
        }
    }

    private void rejectOne(Listening listening, String reason) {
        try (CmId request = next(listening)) {
            String peer = Addresses.text(Objects.requireNonNull(request.remoteAddress()));
            request.reject(reason.getBytes(StandardCharsets.UTF_8));
            line("cmatose: rejected " + peer);
            result = new Result("server", 0, 0, 0, size, peer);
        }
    }

    private void connectAll(Context context) {
        together("client", () -> () -> {
            try (Link link = Link.to(remote(), source(), context, console, shape().depths())) {
                new CmatoseExchange(link, shape()).connect();
            }
        });
    }

    private CmatoseExchange.Shape shape() {
        return new CmatoseExchange.Shape(size == 0 ? 0 : count, size, limit());
    }

    /** Runs one exchange per connection, all at once. The first failure ends the command. */
    private void together(String role, Supplier<Runnable> nextExchange) {
        ExecutorService threads = Executors.newFixedThreadPool(connections, ToolThreads.named("jwarp-cmatose"));
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                running.add(threads.submit(nextExchange.get()));
            }
            running.forEach(ToolThreads::result);
        } finally {
            threads.shutdownNow();
        }
        int messages = shape().count() * connections;
        result = new Result(role, connections, messages, messages, size, null);
        line("cmatose: " + messages + " sends, " + messages + " receives of " + size + " bytes, disconnected");
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Map.of(
                "-t", "jwarp does not set the type of service",
                "-f", "the address shows its format",
                "-P", "iWARP has the TCP port space only",
                "-a", "iWARP has no acknowledgement time-out",
                "-m", "connections are not migrated between event channels");
    }
}
