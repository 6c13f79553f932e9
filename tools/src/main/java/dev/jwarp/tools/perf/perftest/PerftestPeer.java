package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.perf.PeerLanguage;
import dev.jwarp.tools.perf.PerfReporter;
import dev.jwarp.tools.perf.PerfSettings;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfTest;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BiConsumer;

/** Runs a test of {@code jwarp perf} with a program of perftest at the other end. One thread. */
public final class PerftestPeer implements PeerLanguage.Speaker {
    /** The protocol of perftest. */
    public static final PeerLanguage LANGUAGE = new PeerLanguage() {
        @Override
        public PerfSettings habits(PerfSettings asked) {
            return PerftestPeer.habits(asked);
        }

        @Override
        public Speaker speaker(PerfSettings asked, Console console, BiConsumer<String, String> met) {
            return new PerftestPeer(asked, console, met);
        }
    };

    /** Messages per completion in perftest. */
    private static final int SIGNAL_EVERY = 100;

    private final PerfSettings asked;
    private final PerftestSettings settings;
    private final Console console;
    private final BiConsumer<String, String> met;

    /**
     * @param met receives the peer's host and its version of perftest, at the end of a session in which both were
     *     exchanged
     * @throws ToolFailure if the exchange does not support a setting
     */
    PerftestPeer(PerfSettings asked, Console console, BiConsumer<String, String> met) {
        this.asked = asked;
        this.settings = settings(asked);
        this.console = console;
        this.met = met;
    }

    @Override
    public void connect(Context context, InetSocketAddress server, PerfReporter reporter) {
        String from = asked.place().local();
        InetSocketAddress local = from == null ? null : Addresses.resolve(from, 0);
        session(context, reporter, page -> PerftestClient.run(context, server, local, settings, console, page));
    }

    @Override
    public void serveOne(Context context, Listening listening, PerfReporter reporter) {
        session(context, reporter, page -> PerftestServer.serveOne(context, listening, settings, console, page));
    }

    private interface Body {
        void run(PerftestFindings findings);
    }

    private void session(Context context, PerfReporter reporter, Body body) {
        Device device = context.device();
        PerftestPage page = new PerftestPage(
                reporter, settings.program(), device.name(), device.port(1).interfaceMtu());
        try {
            body.run(page);
        } catch (RdmaException e) {
            throw Failures.explain(e, console.debug()); // a server may continue with the next client
        } finally {
            reporter.end();
            PerftestFindings.Met ends = page.ends();
            if (ends != null) {
                met.accept(
                        Addresses.host(new InetSocketAddress(
                                ends.remote(), asked.place().port())),
                        ends.version());
            }
        }
    }

    /** {@return the settings, with perftest's defaults for flags that the user has not set} */
    static PerfSettings habits(PerfSettings asked) {
        PerfSettings.Queues queues = asked.queues();
        int every = asked.given().contains("-Q") ? queues.cqModeration() : SIGNAL_EVERY;
        return new PerfSettings(
                asked.test(),
                asked.place(),
                asked.load(),
                new PerfSettings.Queues(
                        queues.txDepth(),
                        queues.rxDepth(),
                        1,
                        Math.min(every, queues.txDepth()),
                        queues.inline(),
                        queues.events()),
                asked.report(),
                asked.stack(),
                asked.given());
    }

    /** {@return the settings of perf as settings of a program of perftest} */
    static PerftestSettings settings(PerfSettings asked) {
        Load load = asked.load();
        refuse(load.type() != QueuePairType.RC, "-c " + load.type());
        refuse(load.timed(), "-D");
        refuse(load.bidirectional(), "-b");
        refuse(load.queuePairs() > 1, "-q " + load.queuePairs());
        refuse(load.rate() > 0, "--rate_limit");
        for (String flag : List.of("-l", "-I", "--warmup")) {
            refuse(asked.given().contains(flag), flag);
        }
        refuse(asked.queues().events(), "-e");
        refuse(asked.place().self(), "--self");
        refuse(asked.place().dataPort() != 0, "--data-port");
        return new PerftestSettings(
                program(asked.test()),
                load.sizes(),
                load.iterations(),
                asked.queues().txDepth(),
                asked.queues().rxDepth(),
                asked.queues().cqModeration(),
                asked.given().contains("-o") ? load.outstandingReads() : -1,
                asked.place().timeout(),
                Link.FOREVER,
                asked.report().interval());
    }

    private static PerftestProgram program(PerfTest test) {
        return switch (test) {
            case WRITE_BW -> PerftestProgram.WRITE_BW;
            case WRITE_LAT -> PerftestProgram.WRITE_LAT;
            case READ_BW -> PerftestProgram.READ_BW;
            case READ_LAT -> PerftestProgram.READ_LAT;
            case SEND_BW -> PerftestProgram.SEND_BW;
            case SEND_LAT -> PerftestProgram.SEND_LAT;
            case ATOMIC_LAT ->
                throw ToolFailure.usage(
                        "atomic_lat and --peer-protocol perftest exclude each other: perftest has no Atomics over iWARP");
        };
    }

    private static void refuse(boolean wrong, String flag) {
        if (wrong) {
            throw ToolFailure.usage(
                    flag + " and --peer-protocol perftest exclude each other",
                    "docs/perftest-exchange.md lists the supported part of perftest");
        }
    }
}
