package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.Version;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.perf.PeerLanguage.Speaker;
import dev.jwarp.tools.perf.PerfSettings.PeerProtocol;
import dev.jwarp.tools.perf.PerfSettings.Place;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.EffectiveSetting.Source;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp perf}: perftest's programs in one command. */
@Command(
        name = "perf",
        description = {
            "Measure bandwidth, message rate and latency, with the flags, the page and the columns of perftest.",
            "Without HOST this is the server, which waits for a client; with HOST it is the client; with --self both"
                    + " ends run in this process. The server uses the flags of the client; flags given at both ends must"
                    + " be the same."
        })
public final class PerfCommand extends DeviceCommand {
    private static final int PORT = 18_515;
    /** Rows of earlier clients that a server keeps. */
    private static final int MOST_EARLIER = 20_000;

    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final String WAIT = "jwarp.progress.wait";

    private final PeerLanguage perftest;
    private @Nullable PerfSettings settings;
    private @Nullable PerfReporter reporter;
    private @Nullable Ticker ticker;
    private @Nullable PerfOutcome outcome;
    private final List<PerfResult> earlier = new ArrayList<>();

    @Parameters(
            index = "0",
            paramLabel = "TEST",
            converter = PerfTest.Names.class,
            completionCandidates = PerfTest.Names.class,
            description =
                    "write_bw, write_lat, read_bw, read_lat, send_bw, send_lat or atomic_lat, or perftest's names such"
                            + " as ib_send_lat.")
    private @Nullable PerfTest test;

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "The server; none to be the server.")
    private @Nullable String host;

    @Option(names = "--self", description = "Run both ends in this process, each with its own contexts and thread.")
    private boolean self;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "The port of the control connection, default 18515.")
    private @Nullable Integer port;

    @Option(
            names = "--data-port",
            paramLabel = "PORT",
            description = "Server: the port of the measured connections; default a free one.")
    private int dataPort;

    @Option(
            names = "--bind_source_ip",
            paramLabel = "ADDRESS",
            description = "The local address to listen on, or to connect from.")
    private @Nullable String local;

    @Option(
            names = "--peer-protocol",
            paramLabel = "jwarp|perftest",
            description =
                    "The protocol of the other end: another jwarp perf (default), or a program of perftest started with"
                            + " -R, such as ib_write_bw.")
    private PeerProtocol protocol = PeerProtocol.JWARP;

    @Option(names = "--persistent", description = "Server: serve one client after another, until Ctrl-C.")
    private boolean persistent;

    @Option(
            names = "--max-memory",
            paramLabel = "MIB",
            defaultValue = "256",
            description = "Server: most memory for the test of a client, in 2^20 bytes, default 256.")
    private int maxMemory;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long to wait for the other end, 0 without limit; default 30.")
    private @Nullable Double timeout;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "Accepted for scripts; jwarp does not check processor frequencies.")
    @SuppressWarnings("UnusedVariable") // nothing depends on it
    private boolean frequency;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "Accepted for scripts; jwarp always connects with the connection manager.")
    @SuppressWarnings("UnusedVariable") // nothing depends on it
    private boolean connectionManager;

    @Mixin
    private PerfFlags flags = new PerfFlags();

    @Mixin
    private PerfOutputs outputs = new PerfOutputs();

    /**
     * @param provider of the devices
     * @param perftest the protocol of perftest's programs
     */
    public PerfCommand(Console console, Supplier<RdmaProvider> provider, PeerLanguage perftest) {
        super(console, provider);
        this.perftest = perftest;
    }

    @Override
    protected void execute() {
        RdmaProvider rdma = provider.get();
        PerfSettings checked = checked(rdma);
        settings = checked;
        stream.check(rdma, console);
        Devices devices = new Devices(rdma, stream.settings(), checked.stack());
        Speaker speaker = checked.place().protocol() == PeerProtocol.PERFTEST
                ? perftest.speaker(checked, console, (peer, version) -> ended(new PerfOutcome(peer, version)))
                : null;
        try {
            run(devices, checked, speaker);
        } finally {
            List<Ticker.Interval> intervals = ticker == null ? List.of() : ticker.intervals();
            PerfFiles.write(outputs.csv(), outputs.plot(), known(), results(), intervals);
        }
        PerfReporter told = reporter;
        if (told != null) {
            told.check();
        }
    }

    private void run(Devices devices, PerfSettings checked, @Nullable Speaker speaker) {
        if (checked.place().self()) {
            PerfSelf.run(devices, checked, console, tells(checked), ticks(checked), this::ended);
        } else if (checked.place().server()) {
            serve(devices, checked, speaker);
        } else if (speaker != null) {
            try (Context context = devices.control()) {
                speaker.connect(
                        context,
                        Addresses.resolve(String.valueOf(host), checked.place().port()),
                        tells(checked));
            }
        } else {
            InetSocketAddress server =
                    Addresses.resolve(String.valueOf(host), checked.place().port());
            try (Ticker ticking = ticks(checked)) {
                new PerfClient(devices, checked, console, tells(checked), ticking).run(server, this::ended);
            }
        }
    }

    private void serve(Devices devices, PerfSettings checked, @Nullable Speaker speaker) {
        Place place = checked.place();
        InetSocketAddress at = place.local() == null
                ? new InetSocketAddress(place.port())
                : Addresses.resolve(place.local(), place.port());
        PerfServer server = new PerfServer(devices, checked, console, (long) maxMemory << 20, this::tells, this::ticks);
        try (Context context = devices.control();
                Listening listening = Listening.aloud(context, console, at)) {
            do {
                PerfReporter telling = tells(checked);
                telling.waiting();
                try {
                    if (speaker == null) {
                        server.serveOne(listening, this::ended);
                    } else {
                        speaker.serveOne(context, listening, telling);
                    }
                } catch (EndedEarly e) {
                    throw e;
                } catch (RuntimeException e) {
                    if (!persistent) {
                        throw e;
                    }
                    Failures.explain(e, debug()).print(console.err());
                }
            } while (persistent && !interrupted());
        }
    }

    private PerfSettings known() {
        return Objects.requireNonNull(settings, "checked first");
    }

    private PerfReporter tells(PerfSettings agreed) {
        if (reporter != null) {
            earlier.addAll(reporter.results());
            earlier.subList(0, Math.max(0, earlier.size() - MOST_EARLIER)).clear();
        }
        PerfReporter made = new PerfReporter(agreed, this::line);
        reporter = made;
        settings = agreed;
        return made;
    }

    private Ticker ticks(PerfSettings agreed) {
        Ticker made = new Ticker(console, agreed);
        ticker = made;
        return made;
    }

    private void ended(PerfOutcome how) {
        outcome = how;
    }

    // ---- the command line

    PerfSettings checked(RdmaProvider rdma) {
        PerfTest wanted = test;
        if (wanted == null) {
            throw ToolFailure.usage("the test is missing: write_bw, write_lat, read_bw ...");
        }
        PerfSettings.Load load = flags.load(wanted);
        Place place = place();
        PerfSettings.Queues queues = flags.queues(wanted);
        if (crowded(rdma, queues)) {
            boolean looks = wanted == PerfTest.WRITE_LAT && load.type() == QueuePairType.RC;
            console.note("both ends would poll in a loop on 1 core"
                    + (looks
                            ? ": you will measure how long each waits until the other one is interrupted"
                            : ": they sleep until something arrives instead, as with -e"));
            queues = looks ? queues : queues.sleeping();
        }
        PerfSettings asked = new PerfSettings(
                wanted,
                place,
                load,
                queues,
                outputs.reporting(wanted, load.bidirectional(), load.infinite()),
                stack(rdma, queues.events()),
                given());
        return protocol == PeerProtocol.PERFTEST ? perftest.habits(asked) : asked;
    }

    private Place place() {
        if (self && host != null) {
            throw ToolFailure.usage("--self and HOST exclude each other");
        }
        boolean server = host == null && !self;
        if (persistent && !server) {
            throw ToolFailure.usage("--persistent is for the server: no HOST, no --self");
        }
        if (dataPort != 0 && !server) {
            throw ToolFailure.usage("--data-port is for the server, which sends it to the client");
        }
        if (maxMemory < 1) {
            throw ToolFailure.usage("--max-memory takes 1 or more MiB, not " + maxMemory);
        }
        int at = port == null ? PORT : port;
        if (at < (host == null ? 0 : 1) || at > 65_535 || dataPort < 0 || dataPort > 65_535) {
            throw ToolFailure.usage("-p " + at + " or --data-port " + dataPort + " is out of range: 1 to 65535");
        }
        return new Place(
                host, local, self, at, dataPort, persistent, Timeout.limit(timeout, ANSWER, Link.FOREVER), protocol);
    }

    /**
     * {@return whether both ends would poll in a loop on one core, and take it from each other} A server does not know
     * the host of its client, and is not checked. Nor is a run for which the user has set how to wait.
     */
    private boolean crowded(RdmaProvider rdma, PerfSettings.Queues queues) {
        return !queues.events()
                && Runtime.getRuntime().availableProcessors() < 2
                && (self || (host != null && Addresses.isOfThisMachine(host)))
                && rdma.configuration(stream.settings()).stream()
                        .filter(setting -> setting.setting().key().equals(WAIT))
                        .allMatch(setting -> setting.source() == Source.DEFAULT);
    }

    /** Polls in a loop unless the user has set how to wait, because that gives the lowest latencies. */
    private Map<String, String> stack(RdmaProvider rdma, boolean sleeps) {
        Map<String, String> all = new LinkedHashMap<>(stream.settings());
        rdma.configuration(stream.settings()).stream()
                .filter(setting -> !sleeps && setting.source() == Source.DEFAULT)
                .filter(setting -> setting.setting().key().equals(WAIT))
                .forEach(setting -> all.put(setting.setting().key(), "spin"));
        return all;
    }

    @Override
    protected Map<String, String> refusedFlags() {
        return Refused.FLAGS;
    }

    // ---- results at the end

    @Override
    protected String wellEnded() {
        PerfOutcome how = outcome;
        return how != null && how.cutShort() ? "cut" : "ok";
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        Map<String, Json.EffectiveSetting> all = new LinkedHashMap<>(super.settings());
        PerfSettings known = settings;
        if (known != null) {
            known.stack().forEach((key, value) -> {
                Json.EffectiveSetting before = all.get(key);
                if (before != null && !before.value().equals(value)) {
                    all.put(key, new Json.EffectiveSetting(value, "default"));
                }
            });
            all.putAll(Effective.of(known));
        }
        return all;
    }

    @Override
    protected int conclude(String word, int status, Json.@Nullable Failure failure) {
        Path file = outputs.jsonFile();
        if (file == null || settings == null) {
            return status;
        }
        try {
            PerfFiles.write(file, document(word, status, settingsIfAny(), null, failure));
            return status;
        } catch (ToolFailure e) {
            e.print(console.err());
            return e.status().code();
        }
    }

    @Override
    protected Object document(
            String word,
            int status,
            Map<String, Json.EffectiveSetting> config,
            @Nullable Object result,
            Json.@Nullable Failure failure) {
        PerfTest wanted = test;
        List<PerfDocument.Row> rows = new ArrayList<>();
        if (wanted != null) {
            results().forEach(row -> rows.add(PerfDocument.Row.of(row, PerfDocument.basis(wanted))));
        }
        return new PerfDocument(
                PerfDocument.SCHEMA,
                Version.NUMBER,
                wanted == null ? null : wanted.word(),
                wanted == null ? null : self ? "self" : host == null ? "server" : "client",
                word,
                status,
                config,
                outcome == null ? null : outcome.peer(),
                rows,
                ticker == null ? List.of() : ticker.intervals(),
                outcome == null ? Map.of() : outcome.counters(),
                failure);
    }

    private List<PerfResult> results() {
        List<PerfResult> all = new ArrayList<>(earlier);
        if (reporter != null) {
            all.addAll(reporter.results());
        }
        return all;
    }

    /** Flags of perftest that are not supported, each with the reason or an alternative. */
    private static final class Refused {
        static final Map<String, String> FLAGS = Map.ofEntries(
                Map.entry("-d", "there is one device, jwarp0"),
                Map.entry("--ib-dev", "there is one device, jwarp0"),
                Map.entry("--ib-port", "a device of jwarp has one port"),
                Map.entry("-x", "iWARP has no GIDs to choose from; --bind_source_ip chooses the local address"),
                Map.entry(
                        "--gid-index", "iWARP has no GIDs to choose from; --bind_source_ip chooses the local address"),
                Map.entry("-S", "iWARP has no service levels"),
                Map.entry("--sl", "iWARP has no service levels"),
                Map.entry("-T", "jwarp does not set the type of service"),
                Map.entry("--tos", "jwarp does not set the type of service"),
                Map.entry("-u", "TCP has its own time-outs; --timeout limits waiting for the other end"),
                Map.entry("--qp-timeout", "TCP has its own time-outs; --timeout limits waiting for the other end"),
                Map.entry("-f", "all of -D is measured; --warmup sets the time before"),
                Map.entry("--margin", "all of -D is measured; --warmup sets the time before"),
                Map.entry("-U", "latencies are kept in a histogram of constant size; -H prints it"),
                Map.entry("--report-unsorted", "latencies are kept in a histogram of constant size; -H prints it"),
                Map.entry("-C", "times are in microseconds; there is no clock of cycles"),
                Map.entry("--report-cycles", "times are in microseconds; there is no clock of cycles"),
                Map.entry("-z", "the exchange is always over the RDMA connection"),
                Map.entry("--comm_rdma_cm", "the exchange is always over the RDMA connection"),
                Map.entry("-g", "multicast is not measured"),
                Map.entry("--mcg", "multicast is not measured"),
                Map.entry("-O", "a device of jwarp has one port"),
                Map.entry("--dualport", "a device of jwarp has one port"),
                Map.entry("-V", "it is --version"),
                Map.entry("--use-srq", "perf has receive queues of their own"),
                Map.entry("--out_json", "it is --json, or --json-file FILE"),
                Map.entry("--data_validation", "'jwarp demo' compares every byte that arrives"),
                Map.entry("--perform_warm_up", "perf always warms up; --warmup sets the time"),
                Map.entry("--burst_size", "messages are started evenly"),
                Map.entry("--rate_limit_type", "the rate is always kept by the program"));

        private Refused() {}
    }
}
