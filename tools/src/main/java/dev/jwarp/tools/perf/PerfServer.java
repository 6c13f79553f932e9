package dev.jwarp.tools.perf;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.Version;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The server, which accepts a client whose test does not contradict the server's flags. One thread. */
final class PerfServer {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Devices devices;
    private final PerfSettings settings;
    private final Console console;
    private final long maxMemory;
    private final Function<PerfSettings, PerfReporter> reporters;
    private final Function<PerfSettings, Ticker> tickers;
    /** Whether the current client has sent its place. */
    private boolean met;

    /**
     * @param maxMemory most bytes of memory for a client's test
     * @param reporters makes the reporter of a client
     * @param tickers makes the progress lines of a client
     */
    PerfServer(
            Devices devices,
            PerfSettings settings,
            Console console,
            long maxMemory,
            Function<PerfSettings, PerfReporter> reporters,
            Function<PerfSettings, Ticker> tickers) {
        this.devices = devices;
        this.settings = settings;
        this.console = console;
        this.maxMemory = maxMemory;
        this.reporters = reporters;
        this.tickers = tickers;
    }

    /**
     * Waits for a client and serves it. A peer that does not send its place is refused, with a note, and the server
     * waits for the next one.
     *
     * @param told receives the outcome, also after a failure
     */
    void serveOne(Listening listening, Consumer<PerfOutcome> told) {
        boolean served = false;
        while (!served) {
            CmEvent request = listening.nextRequest(Link.FOREVER);
            served = request != null && serve(request, told);
        }
    }

    /** {@return whether a client was served} */
    private boolean serve(CmEvent request, Consumer<PerfOutcome> told) {
        CmId id = request.id();
        Hello hello;
        try {
            hello = Hello.of(request.parameters().privateData());
        } catch (IllegalArgumentException e) {
            turnAway(id, "not jwarp perf of this version: " + e.getMessage());
            return false;
        }
        String objection = PerfAgreement.objection(settings, hello);
        if (objection != null) {
            reject(id, objection);
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    "the flags of a client differ: " + objection,
                    "the client got the same message");
        }
        PerfSettings agreed = settings.withLoad(hello.load());
        String tooMuch = PerfFootprint.objection(settings, agreed, maxMemory);
        if (tooMuch != null) {
            turnAway(id, tooMuch);
            return false;
        }
        met = false;
        try {
            serve(id, hello, agreed, told);
            return true;
        } catch (EndedEarly e) {
            throw e;
        } catch (RuntimeException | OutOfMemoryError e) {
            if (met || settings.place().self()) {
                throw e;
            }
            turnAway(
                    id,
                    e instanceof RuntimeException known
                            ? Failures.explain(known, false).sentence()
                            : e.toString());
            return false;
        }
    }

    private void turnAway(CmId id, String why) {
        reject(id, why);
        console.note("refused a client: " + why);
    }

    private static void reject(CmId id, String why) {
        try (id) {
            id.reject(why.getBytes(US_ASCII));
        } catch (RdmaException e) {
            // The request was accepted, or the client has closed the connection.
        }
    }

    private void serve(CmId request, Hello hello, PerfSettings agreed, Consumer<PerfOutcome> told) {
        QueuePairType type = hello.load().type();
        long token = RANDOM.nextLong();
        try (Context data = devices.data(type);
                TrafficEnd end = new TrafficEnd(data, agreed.traffic(data.progress()));
                Ticker ticker = tickers.apply(agreed)) {
            InetAddress local = Objects.requireNonNull(request.localAddress()).getAddress();
            if (type != QueuePairType.RC) {
                end.bind(agreed.datagrams(local));
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
            TrafficEnd end,
            Ticker ticker,
            Consumer<PerfOutcome> told,
            Runnable connect) {
        try (PerfControl control =
                PerfControl.from(request, console, welcome, settings.place().setUp())) {
            Device device = devices.device(agreed.load().type());
            PerfConversation talk =
                    new PerfConversation(agreed, console, control, end, reporters.apply(agreed), ticker, false);
            PerfOutcome outcome = new PerfOutcome(control.link().peer(), hello.version());
            try {
                talk.run(connect, device.name(), device.port(1).interfaceMtu());
            } finally {
                met = talk.met();
                if (met) {
                    outcome.ended(talk);
                    told.accept(outcome);
                }
            }
        }
    }

    /** Accepts the data connections, in the order of their queue pairs. */
    private void accept(Listening listening, PerfSettings agreed, TrafficEnd end, long token) {
        int next = 0;
        while (next < agreed.load().queuePairs()) {
            CmEvent request = listening.nextRequest(settings.place().setUp());
            if (request == null) {
                throw ToolFailure.setup("the client did not make its data connections");
            }
            CmId id = request.id();
            try {
                Welcome.Ticket ticket = Welcome.Ticket.of(request.parameters().privateData());
                if (ticket.token() != token || ticket.index() != next) {
                    throw new IllegalArgumentException("the ticket is for another connection");
                }
            } catch (IllegalArgumentException e) {
                reject(id, "not expected here: " + e.getMessage());
                continue;
            }
            id.migrate(null); // from here on its calls block
            end.add(id.createQueuePair(end.domain(), end.attributes()));
            id.accept(ConnectionParameters.DEFAULT
                    .withInitiatorDepth(agreed.load().outstandingReads())
                    .withResponderResources(agreed.load().outstandingReads()));
            next++;
        }
    }

    /** An estimate of the memory that a test needs at an end. The client chooses the test, so a server has a limit. */
    private static final class PerfFootprint {
        private static final int MIB = 1 << 20;
        /** Bytes of a work request in a queue, with its completion. */
        private static final long REQUEST = 512;
        /** Bytes of a queue pair with its buffers in the stack and in the kernel. */
        private static final long CONNECTION = 256 << 10;

        private static final long PORT = 512 << 10;

        private PerfFootprint() {}

        /** {@return bytes} */
        static long of(PerfSettings settings) {
            PerfSettings.Load load = settings.load();
            long each = load.type() == QueuePairType.RC ? CONNECTION : PORT;
            long requests = (long) TrafficEnd.sendDepth(settings.traffic(Progress.INLINE))
                    + settings.queues().rxDepth();
            return 2L * load.largest() + load.queuePairs() * (each + requests * REQUEST);
        }

        /**
         * {@return the refusal of a client whose test needs too much memory; null if it does not}
         *
         * @param own the server's settings: a test that needs as much is allowed in any case
         * @param asked the server's settings with the load of the client
         * @param most most bytes for a client's test
         */
        static @Nullable String objection(PerfSettings own, PerfSettings asked, long most) {
            long wanted = of(asked);
            return wanted <= Math.max(most, of(own))
                    ? null
                    : "the test needs about " + (wanted + MIB - 1) / MIB + " MiB of memory; the limit of the server is "
                            + most / MIB + " MiB (--max-memory)";
        }
    }

    /** Compares the test of a client with the flags of the server, which must be the same. */
    private static final class PerfAgreement {
        private PerfAgreement() {}

        /** {@return the differences, for both users; null if there are none} */
        static @Nullable String objection(PerfSettings server, Hello client) {
            List<String> differences = new ArrayList<>();
            if (server.test() != client.test()) {
                return "the server runs " + server.test().word() + ", the client "
                        + client.test().word();
            }
            Load ours = server.load();
            Load theirs = client.load();
            compare(server, differences, "-c", ours.type(), theirs.type());
            compare(server, differences, "-s", ours.size(), theirs.allSizes() ? "all sizes (-a)" : theirs.size());
            compare(server, differences, "-a", ours.allSizes(), theirs.allSizes());
            compare(server, differences, "-n", ours.iterations(), theirs.timed() ? "a time (-D)" : theirs.iterations());
            compare(server, differences, "-D", seconds(ours), theirs.timed() ? seconds(theirs) : "iterations (-n)");
            compare(server, differences, "--run_infinitely", ours.infinite(), theirs.infinite());
            compare(server, differences, "-q", ours.queuePairs(), theirs.queuePairs());
            compare(server, differences, "-b", ours.bidirectional(), theirs.bidirectional());
            compare(server, differences, "-o", ours.outstandingReads(), theirs.outstandingReads());
            compare(server, differences, "-m", ours.mtu(), theirs.mtu());
            compare(server, differences, "-A", ours.atomic(), theirs.atomic());
            compare(server, differences, "--rate_limit", ours.rate(), theirs.rate());
            compare(server, differences, "--rate_units", ours.rateUnit(), theirs.rateUnit());
            return differences.isEmpty() ? null : String.join("; ", differences);
        }

        private static String seconds(Load load) {
            return load.duration().toMillis() / 1e3 + " s";
        }

        private static void compare(PerfSettings server, List<String> into, String flag, Object ours, Object theirs) {
            if (server.given().contains(flag) && !Objects.equals(ours, theirs)) {
                into.add("the server was started with " + flag + (ours instanceof Boolean ? "" : " " + ours)
                        + ", the client " + (theirs instanceof Boolean ? "without" : "with " + theirs));
            }
        }
    }
}
