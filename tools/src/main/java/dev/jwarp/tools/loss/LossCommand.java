package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.Console;
import dev.jwarp.tools.Json;
import dev.jwarp.tools.StreamFlags;
import dev.jwarp.tools.ToolCommand;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.Version;
import dev.jwarp.verbs.RdmaProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp loss}: sends messages of all services through a network that loses datagrams, and tells what came. */
@Command(
        name = "loss",
        description = {
            "Send messages through a network that loses datagrams, by every service, and tell what arrived.",
            "Both ends run in this process, each with a device context of its own; the UDP transport leaves out what the"
                    + " seed says. With --netem each runs in a network namespace and a process of its own, and the kernel"
                    + " loses packets, those of TCP included. Columns 'expected' say what follows if each datagram is lost on its own. Latency is"
                    + " from the posting of a message to the completion that tells of its arrival, under load."
        })
public final class LossCommand extends ToolCommand {
    private static final long SIGN_OF_LIFE_NANOS = 1_000_000_000L;

    private final Supplier<RdmaProvider> provider;
    private final List<Row> rows = new ArrayList<>();
    private String description = "";

    @Mixin
    private TrialFlags trials = new TrialFlags();

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows as comma-separated values, too.")
    private @Nullable Path csv;

    @Option(
            names = "--json-file",
            paramLabel = "FILE",
            description = "Write the document of --json to a file, beside the table.")
    private @Nullable Path jsonFile;

    @Option(names = "--quiet", description = "No sign of life each second.")
    private boolean quiet;

    @Option(
            names = "--netem",
            description = "Two network namespaces with a veth pair in place of loopback. Needs root.")
    private boolean netem;

    @Option(
            names = "--via",
            paramLabel = "netem|nft",
            description = "With --netem: what loses the packets, tc's netem or, for kernels without, a rule of nft."
                    + " Default netem.")
    private Namespaces.Via via = Namespaces.Via.NETEM;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            defaultValue = "",
            description = "With --netem: how long each packet takes each way, such as 2ms.")
    private String delay = "";

    @Option(names = "--role", hidden = true, description = "For --netem: be one end, target or source.")
    private @Nullable String role;

    @Option(names = "--local", hidden = true, description = "For --role: its address.")
    private @Nullable InetAddress local;

    @Option(names = "--board", hidden = true, description = "For --role: the file that both ends share.")
    private @Nullable Path board;

    @Mixin
    private StreamFlags stream = new StreamFlags();

    /** @param provider of the devices */
    public LossCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    /**
     * All that came out, for JSON.
     *
     * @param where what was run where
     * @param command what to type to run it again
     * @param rows in the order of the table
     */
    record Result(String where, String command, List<Row> rows) {}

    @Override
    protected void execute() {
        if (role != null) {
            beOneEnd(role);
            return;
        }
        checkDelay();
        List<Trial> plan = trials.plan(stream.settings(), !netem);
        checkFiles();
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        try (Lab lab = lab(rdma, TrialFlags.mostMessages(plan))) {
            description = lab.description() + "; " + machine();
            run(lab, plan);
        } finally {
            tell();
        }
        List<String> troubled = rows.stream()
                .filter(Row::troubled)
                .map(row -> row.service() + ", " + Report.size(row.sizeBytes()) + ", "
                        + Report.percent(row.lossPercent()) + " % loss: " + row.note())
                .toList();
        if (!troubled.isEmpty()) {
            throw ToolFailure.failed(
                    troubled.size() + " of " + rows.size() + " rows ended in trouble", troubled.toArray(String[]::new));
        }
    }

    private void run(Lab lab, List<Trial> plan) {
        long toldAt = console.nanoTime().getAsLong();
        Service warm = null;
        for (Trial trial : plan) {
            console.endIfAsked();
            if (trial.service() != warm) {
                warm = trial.service();
                lab.run(trial.warmUp()); // or the first row would tell how the JVM starts
            }
            long now = console.nanoTime().getAsLong();
            if (!quiet && now - toldAt >= SIGN_OF_LIFE_NANOS) {
                toldAt = now;
                console.note(rows.size() + " of " + plan.size() + " done; now "
                        + trial.service().title() + ", " + Report.size(trial.size()) + ", "
                        + Report.percent(trial.loss() * 100) + " % loss");
            }
            rows.add(lab.run(trial));
        }
    }

    private Lab lab(RdmaProvider rdma, int mostMessages) {
        return netem
                ? new NamespaceLab(console, via, delay, mostMessages)
                : new LoopbackLab(rdma, console, mostMessages);
    }

    private void beOneEnd(String which) {
        try {
            InetAddress at = Objects.requireNonNull(local);
            Board shared = Board.inFile(Objects.requireNonNull(board), trials.messages());
            RdmaProvider rdma = provider.get();
            Remote.obey(
                    new BufferedReader(new InputStreamReader(System.in, UTF_8)),
                    console.out(),
                    new LocalTarget(rdma, at, shared, console),
                    new LocalSource(rdma, at, shared, console),
                    which.equals("target"));
        } catch (IOException e) {
            throw ToolFailure.setup("the file that both ends share cannot be used: " + e.getMessage());
        }
    }

    private void checkDelay() {
        if (!netem && (!delay.isEmpty() || via != Namespaces.Via.NETEM)) {
            throw ToolFailure.usage(
                    "--delay and --via are for --netem; the transport's own delay is --inject delay=2ms");
        }
        if (!delay.matches("([0-9]+(us|ms))?") || (via == Namespaces.Via.NFT && !delay.isEmpty())) {
            throw ToolFailure.usage("--delay wants a time such as 2ms, and netem, not nft");
        }
    }

    private void checkFiles() {
        for (Path file : new Path[] {csv, jsonFile}) {
            if (file != null
                    && (Files.isDirectory(file)
                            || !Files.isDirectory(file.toAbsolutePath().resolveSibling("")))) {
                throw ToolFailure.usage(file + ": there is no such folder, or it is one itself");
            }
        }
    }

    private void tell() {
        line(description);
        line(command());
        Report.table(rows).forEach(this::line);
        try {
            if (csv != null) {
                Files.write(csv, Report.csv(List.of(description, command()), rows));
            }
            if (jsonFile != null) {
                Json.Document document =
                        new Json.Document("jwarp.loss/1", Version.NUMBER, "ok", 0, settings(), result(), null);
                Files.writeString(jsonFile, Json.text(document) + System.lineSeparator());
            }
        } catch (IOException e) {
            throw ToolFailure.setup("the results cannot be written: " + e);
        }
    }

    private String command() {
        return "jwarp loss " + (netem ? networkFlags() : "") + trials.text();
    }

    private String networkFlags() {
        return "--netem --via " + via.name().toLowerCase(Locale.ROOT) + " "
                + (delay.isEmpty() ? "" : "--delay " + delay + " ");
    }

    private static String machine() {
        return String.format(
                Locale.ROOT,
                "%s %s, %d processors, Java %s",
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.version"));
    }

    @Override
    protected @Nullable Object result() {
        return new Result(description, command(), List.copyOf(rows));
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        return stream.effective(provider.get());
    }
}
