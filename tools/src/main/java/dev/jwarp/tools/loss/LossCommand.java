package dev.jwarp.tools.loss;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.RowProgress;
import dev.jwarp.tools.cli.ThisJvm;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.Version;
import dev.jwarp.verbs.RdmaProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jwarp loss}: sends messages through a network that loses datagrams, and reports what arrived. */
@Command(
        name = "loss",
        description = {
            "Send messages through a network that loses datagrams, by every service, and report what arrived.",
            "Both ends run in this process, each with its own device context; the UDP transport drops the datagrams that the"
                    + " seed decides. With --lab each end runs in its own process, and a program makes a path between them"
                    + " that loses packets, also those of TCP. Columns 'expected' say what theory expects if each datagram is lost"
                    + " independently. Latency is from the posting of a message to the completion that shows its arrival,"
                    + " under load."
        })
public final class LossCommand extends DeviceCommand {
    private final Class<?> main;
    private final List<Row> rows = new ArrayList<>();
    private String description = "";
    private String command = "";
    private boolean unfinished;

    @Mixin
    private TrialFlags trials = new TrialFlags();

    @Mixin
    private Outputs outputs = new Outputs();

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "Take the rows from a --json-file of an earlier run, instead of running trials.")
    private @Nullable Path from;

    @Option(names = "--quiet", description = "Show no progress: no bar on a terminal, no line each second elsewhere.")
    private boolean quiet;

    @Option(
            names = "--lab",
            paramLabel = "COMMAND",
            description =
                    "Run this program with its arguments, which makes the path between both ends, instead of loopback:"
                            + " such as interop/loss/lab.py.")
    private @Nullable String lab;

    @Option(names = "--role", hidden = true, description = "For --lab: be one end, target or source.")
    private @Nullable String role;

    @Option(names = "--local", hidden = true, description = "For --role: its address.")
    private @Nullable InetAddress local;

    @Option(names = "--board", hidden = true, description = "For --role: the file that both ends share.")
    private @Nullable Path board;

    /**
     * @param provider of the devices
     * @param main the class of this command, which an end in another process runs
     */
    public LossCommand(Console console, Supplier<RdmaProvider> provider, Class<?> main) {
        super(console, provider);
        this.main = main;
    }

    @Override
    protected void execute() {
        if (role != null) {
            beOneEnd(role);
            return;
        }
        if (from != null) {
            outputs.check();
            LossResult earlier = LossResult.read(from);
            description = earlier.where();
            command = earlier.command();
            rows.addAll(earlier.rows());
            tell();
            return;
        }
        List<LossTrial> plan = trials.plan(stream.settings(), lab != null);
        command = "jwarp loss " + (lab == null ? "" : "--lab '" + lab + "' ") + trials.text();
        outputs.check();
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        try (Lab place = lab(rdma, TrialFlags.mostMessages(plan))) {
            description = place.description() + "; " + ThisJvm.machine();
            run(place, plan);
        } finally {
            unfinished = rows.size() < plan.size();
            tell();
        }
        List<String> troubled = rows.stream()
                .filter(Row::troubled)
                .map(row -> row.title() + ": " + row.note())
                .toList();
        if (!troubled.isEmpty()) {
            throw ToolFailure.failed(
                    troubled.size() + " of " + rows.size() + " rows failed", troubled.toArray(String[]::new));
        }
    }

    private void run(Lab place, List<LossTrial> plan) {
        RowProgress progress = new RowProgress(console, plan.size(), RowProgress.onTerminal(console), quiet);
        Set<Service> warm = EnumSet.noneOf(Service.class);
        try {
            for (LossTrial trial : plan) {
                console.endIfAsked();
                if (warm.add(trial.service())) {
                    place.run(trial.warmUp()); // otherwise the first row measures the start of the JVM
                }
                progress.next(rows.size(), trial.title());
                rows.add(place.run(trial));
            }
        } finally {
            progress.end();
        }
    }

    private Lab lab(RdmaProvider rdma, int mostMessages) {
        return lab == null
                ? new LoopbackLab(rdma, console, mostMessages)
                : new ProgramLab(console, main, List.of(lab.strip().split(" +", -1)), mostMessages);
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

    private void tell() {
        line(description);
        line(command);
        LossReport.table(Point.of(rows)).forEach(this::line);
        outputs.write(found(), this::document);
    }

    private LossResult found() {
        return new LossResult(description, command, List.copyOf(rows));
    }

    private Json.Document document(LossResult result) {
        boolean failed = result.status().equals("failed") || (unfinished && !interrupted());
        int status = interrupted()
                ? ExitStatus.ofSignal(console.interruption().signal())
                : failed ? ExitStatus.FAILED.code() : 0;
        String word = interrupted() ? "interrupted" : failed ? "failed" : result.status();
        return new Json.Document(LossResult.SCHEMA, Version.NUMBER, word, status, settings(), result, null);
    }

    @Override
    protected @Nullable Object result() {
        return found();
    }

    @Override
    protected String wellEnded() {
        return found().status();
    }
}
