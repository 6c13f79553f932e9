package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The client of a program of perftest. One thread. */
public final class PerftestClient extends Session {
    /**
     * Time for perftest's server to listen again: it stops after its first connection, and then listens for the second.
     */
    private static final Duration LISTENS_AGAIN = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress local;

    private PerftestClient(
            Context context,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings,
            PerftestControl control) {
        super(context, settings, console, findings, control, true);
        this.remote = remote;
        this.local = local;
    }

    /**
     * Runs the program against a server.
     *
     * @param local the address to connect from; null for any
     * @throws dev.jwarp.tools.cli.ToolFailure if the session fails
     */
    public static void run(
            Context context,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings) {
        Link link = Link.to(remote, local, context, console, PerftestControl.DEPTHS);
        PerftestControl control = new PerftestControl(link, console, true, settings);
        try (PerftestClient client = new PerftestClient(context, remote, local, settings, console, findings, control)) {
            client.meet();
            client.run();
        }
    }

    @Override
    void connectControl() {
        control.link().connect(NO_READS, settings.answerLimit());
    }

    @Override
    Data connectData(Steps steps) {
        long deadline = console.nanoTime().getAsLong() + LISTENS_AGAIN.toNanos();
        while (true) {
            Link link = Link.to(remote, local, context, console, Data.depths(settings));
            Data data = new Data(link, console, settings, steps);
            try {
                link.connect(depths(), settings.answerLimit());
                return data;
            } catch (RuntimeException e) {
                data.close();
                boolean notYet = e instanceof RdmaException rdma && rdma.code() == RdmaErrorCode.CONNECTION_REFUSED;
                if (!notYet || console.nanoTime().getAsLong() - deadline > 0) {
                    throw e;
                }
            }
            trace("the server does not listen again yet");
            console.interruption().pause(PAUSE.toNanos());
            console.endIfAsked();
        }
    }
}
