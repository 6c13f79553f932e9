package dev.jwarp.tools.perf;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jwarp.tools.Console;
import dev.jwarp.tools.ExitStatus;
import dev.jwarp.tools.Failures;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.Version;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/** The end that waits, and does what a client wants if that is what its own user wanted, too. One thread. */
final class PerfServer {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Devices devices;
    private final PerfSettings settings;
    private final Console console;
    private final Function<PerfSettings, PerfReporter> reporters;
    private final Function<PerfSettings, Ticker> tickers;

    /**
     * @param reporters make who tells what is done with a client
     * @param tickers make who gives signs of life
     */
    PerfServer(
            Devices devices,
            PerfSettings settings,
            Console console,
            Function<PerfSettings, PerfReporter> reporters,
            Function<PerfSettings, Ticker> tickers) {
        this.devices = devices;
        this.settings = settings;
        this.console = console;
        this.reporters = reporters;
        this.tickers = tickers;
    }

    /**
     * Waits for a client and serves it. Strangers are turned away meanwhile.
     *
     * @param told of how it ended, also if that was badly
     */
    void serveOne(Listening listening, Consumer<Outcome> told) {
        while (true) {
            CmEvent request = listening.nextRequest(Link.FOREVER);
            if (request == null) {
                continue;
            }
            Hello hello;
            try {
                hello = Hello.of(request.parameters().privateData());
            } catch (IllegalArgumentException e) {
                reject(request.id(), "no jwarp perf of this version: " + e.getMessage());
                console.note("turned a stranger away: " + e.getMessage());
                continue;
            }
            String objection = Agreement.objection(settings, hello);
            if (objection != null) {
                reject(request.id(), objection);
                throw new ToolFailure(
                        ExitStatus.MISMATCH, "a client wanted something else: " + objection, "it was told so");
            }
            serve(request.id(), hello, told);
            return;
        }
    }

    private static void reject(CmId id, String why) {
        id.reject(why.getBytes(US_ASCII));
        id.close();
    }

    private void serve(CmId request, Hello hello, Consumer<Outcome> told) {
        PerfSettings agreed = settings.withLoad(hello.load());
        QueuePairType type = hello.load().type();
        long token = RANDOM.nextLong();
        Context data;
        try {
            data = devices.data(type);
        } catch (RuntimeException e) {
            reject(request, Failures.explain(e, false).sentence());
            throw e;
        }
        try (DataEnd end = new DataEnd(data, agreed);
                Ticker ticker = tickers.apply(agreed)) {
            InetAddress local = Objects.requireNonNull(request.localAddress()).getAddress();
            if (type != QueuePairType.RC) {
                end.bind(local);
                talk(request, hello, new Welcome(0, token, Version.NUMBER), agreed, end, ticker, told, () -> {});
                return;
            }
            InetSocketAddress at = new InetSocketAddress(local, settings.place().dataPort());
            try (Listening listening = Listening.quietly(end.context(), console, at)) {
                Welcome welcome = new Welcome(listening.address().getPort(), token, Version.NUMBER);
                talk(request, hello, welcome, agreed, end, ticker, told, () -> accept(listening, agreed, end, token));
            }
        }
    }

    private void talk(
            CmId request,
            Hello hello,
            Welcome welcome,
            PerfSettings agreed,
            DataEnd end,
            Ticker ticker,
            Consumer<Outcome> told,
            Runnable connect) {
        try (Control control =
                Control.from(request, console, welcome, settings.place().timeout())) {
            Device device = devices.device(agreed.load().type());
            Conversation talk = new Conversation(agreed, console, control, end, reporters.apply(agreed), ticker, false);
            Outcome outcome = new Outcome(control.link().peer(), hello.version());
            try {
                talk.run(connect, device.name(), device.port(1).interfaceMtu());
            } finally {
                outcome.ended(talk);
                told.accept(outcome);
            }
        }
    }

    /** Takes the data connections, in the order of their queue pairs. */
    private void accept(Listening listening, PerfSettings agreed, DataEnd end, long token) {
        int next = 0;
        while (next < agreed.load().queuePairs()) {
            CmEvent request = listening.nextRequest(settings.place().timeout());
            if (request == null) {
                throw ToolFailure.setup("the client did not make its data connections");
            }
            CmId id = request.id();
            try {
                Welcome.Ticket ticket = Welcome.Ticket.of(request.parameters().privateData());
                if (ticket.token() != token || ticket.index() != next) {
                    throw new IllegalArgumentException("a ticket for something else");
                }
            } catch (IllegalArgumentException e) {
                reject(id, "not expected here: " + e.getMessage());
                continue;
            }
            id.migrate(null); // from here on its calls wait
            end.add(id.createQueuePair(end.domain(), end.attributes()));
            id.accept(ConnectionParameters.DEFAULT
                    .withInitiatorDepth(agreed.load().outstandingReads())
                    .withResponderResources(agreed.load().outstandingReads()));
            next++;
        }
    }
}
