package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The server of a program of perftest, for one client. It listens all the time: perftest's client makes its second
 * connection as soon as possible, and ends if that is refused. One thread.
 */
public final class PerftestServer extends Session {
    private final Listening listening;
    private final String host;

    private PerftestServer(
            Context context,
            Listening listening,
            String host,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings,
            PerftestControl control) {
        super(context, settings, console, findings, control, false);
        this.listening = listening;
        this.host = host;
    }

    /**
     * Waits for a client, and runs the program with it. A peer that does not send a version of perftest is refused,
     * with a note, and the server waits for the next one.
     *
     * @param listening the listener, which the caller closes
     * @throws ToolFailure if there is no client in time, or the session fails
     */
    public static void serveOne(
            Context context,
            Listening listening,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings) {
        boolean served = false;
        while (!served) {
            CmId request = listening.required(settings.idleLimit());
            served = serve(context, listening, request, settings, console, findings);
        }
    }

    /** {@return whether a client was served} */
    private static boolean serve(
            Context context,
            Listening listening,
            CmId request,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings) {
        boolean met = false;
        try {
            Link link = Link.from(request, console, PerftestControl.DEPTHS);
            PerftestControl control = link.whole(() -> new PerftestControl(link, console, false, settings));
            try (PerftestServer server =
                    new PerftestServer(context, listening, hostOf(request), settings, console, findings, control)) {
                met = server.met();
                server.run();
            }
        } catch (ToolFailure | RdmaException e) {
            if (met) {
                throw e;
            }
            console.note("refused a client: " + Failures.explain(e, false).sentence());
        }
        return met;
    }

    /** {@return true: the client has sent its version} Makes the control connection. */
    private boolean met() {
        boolean met = false;
        try {
            meet();
            met = true;
        } finally {
            if (!met) {
                control.link().breakOff(); // an unknown peer gets no orderly end, which takes time
            }
        }
        return met;
    }

    private static String hostOf(CmId request) {
        InetSocketAddress remote = request.remoteAddress();
        return remote == null ? "" : Addresses.host(remote);
    }

    @Override
    void connectControl() {
        control.link().accept(NO_READS);
    }

    @Override
    Data connectData(Steps steps) {
        Link link = Link.from(awaitSecond(), console, Data.depths(settings));
        return link.whole(() -> {
            Data data = new Data(link, console, settings, steps);
            link.accept(depths());
            return data;
        });
    }

    private CmId awaitSecond() {
        while (true) {
            CmId request = listening.next(settings.answerLimit());
            if (request == null) {
                throw ToolFailure.setup("no second connection from "
                        + control.link().peer() + " within " + Timeout.text(settings.answerLimit()));
            } else if (hostOf(request).equals(host)) {
                return request;
            }
            turnAway(request);
        }
    }

    private void turnAway(CmId request) {
        try (request) {
            request.reject("one client at a time".getBytes(StandardCharsets.US_ASCII));
        } catch (RdmaException e) {
            trace("a surplus client has closed its connection");
        }
    }
}
