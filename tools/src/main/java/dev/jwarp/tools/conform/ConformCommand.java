package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.fuzz.FuzzPlayer;
import dev.jwarp.conformance.report.Explanation;
import dev.jwarp.conformance.report.Findings;
import dev.jwarp.conformance.report.TerminalReport;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.Awaited;
import dev.jwarp.conformance.suite.Dialled;
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.Parameter;
import dev.jwarp.conformance.suite.Restarted;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Runner;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code jwarp conform}: what does this peer do that the RFCs do not allow? */
@Command(
        name = "conform",
        description = "Test any iWARP peer against the RFCs, requirement by requirement, and report each deviation.")
public final class ConformCommand extends ToolCommand {
    private static final long A_MOMENT_NANOS = 200_000_000;

    private static final String START_IT =
            "start the device's program there first: an rping server (rping -s -P), or a conformance target";

    private final Supplier<RdmaProvider> provider;
    private @Nullable Object result;
    private ConformProgress progress;
    private final List<TestedDevice> surveyed = new ArrayList<>();
    private boolean gone;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private Selection selection = new Selection();

    @Option(names = "--peer", paramLabel = "HOST:PORT", description = "Connect to a device that listens there.")
    private @Nullable String peer;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            description = "Wait there for a device that connects; with --jobs also on the ports behind it.")
    private @Nullable String listen;

    @Option(names = "--self", description = "Test jwarp itself, as both ends; implies --strict.")
    private boolean self;

    @Mixin
    private ProfileFlags profile = new ProfileFlags();

    @Option(
            names = "--peer-command",
            paramLabel = "COMMAND",
            description = "With --listen: a shell command that makes the device connect, run anew for each connection."
                    + " {port} and {host} are replaced. Its output is shown with the cases that fail.")
    private @Nullable String peerCommand;

    @Mixin
    private DatagramFlags datagrams = new DatagramFlags();

    @Option(names = "--strict", description = "Also test what the documents only recommend.")
    private boolean strict;

    @Option(
            names = "--parameters",
            paramLabel = "default|all",
            defaultValue = "default",
            description =
                    "all: also try each case that passes with Markers, without CRCs, with revision 1, peer to peer,"
                            + " byte by byte, and with FPDUs together, where it leaves that open.")
    private String parameters = "default";

    @Option(names = "--jobs", paramLabel = "N", description = "How many cases at a time; default 1, with --self 4.")
    private @Nullable Integer jobs;

    @Mixin
    private OfferFlags offer = new OfferFlags();

    @Mixin
    private Manner manner = new Manner();

    @Mixin
    private FuzzFlags fuzz = new FuzzFlags();

    @Mixin
    private Reports reports = new Reports();

    @Option(
            names = "-i",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Seconds between lines of progress on standard error; default 1, 0 for never.")
    private double interval;

    @Option(names = "-v", description = "Show each case, not only those that did not pass.")
    private boolean verbose;

    public ConformCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
        progress = new ConformProgress(console, 0, 0);
    }

    @Override
    protected void execute() {
        boolean device = peer != null || listen != null || self;
        if (selection.explain() && !device && !fuzz.wanted()) {
            selection.explanation().forEach(this::line);
            return;
        }
        if ((peer != null ? 1 : 0) + (listen != null ? 1 : 0) + (self ? 1 : 0) != 1 && !selection.list()) {
            throw ToolFailure.usage("say one of --peer HOST:PORT, --listen PORT and --self");
        }
        if (jobs() < 1 || jobs() > 64) {
            throw ToolFailure.usage("--jobs " + jobs() + " is out of range: 1 to 64");
        }
        if (datagrams.only() && listen != null) {
            throw ToolFailure.usage("--datagram needs --peer or --self: no device connects");
        }
        profile.check(listen != null, self || datagrams.only());
        manner.check();
        offer.check(listen == null);
        if (fuzz.restart != null && !fuzz.wanted() && (self || datagrams.only() || jobs() > 1)) {
            throw ToolFailure.usage(
                    "--restart takes one case at a time with --peer or --listen, without --self, --datagram and --jobs");
        }
        if (!(interval >= 0)) {
            throw ToolFailure.usage("-i " + interval + " is out of range: 0 and more");
        }
        if (fuzz.wanted()) {
            fuzz.check();
            List<String> script = fuzz.script();
            if (script != null) {
                replay(script);
            } else {
                fuzz();
            }
            return;
        }
        if (!parameters.equals("default") && !parameters.equals("all")) {
            throw ToolFailure.usage("--parameters " + parameters + ": say default or all");
        }
        reports.check();
        if (reports.repro() != null && (self || datagrams.only())) {
            throw ToolFailure.usage("--repro takes a device over TCP: --peer HOST:PORT or --listen PORT");
        }
        List<TestCase> cases = selection.cases(role -> datagrams.takes(role, peer != null, self || selection.list()));
        Exclusions known = selection.exclusions();
        if (selection.list()) {
            cases.forEach(c -> line(c.id() + "  " + c.title()));
            return;
        }
        long began = console.nanoTime().getAsLong();
        progress = new ConformProgress(console, cases.size(), interval);
        List<Result> results = new ArrayList<>();
        try {
            run(cases, known, results);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw ToolFailure.setup(String.valueOf(e.getMessage()));
        }
        Findings findings = Findings.of(
                        self ? "jwarp itself" : peer != null ? peer : "each device that connects to port " + listen,
                        self ? "echo" : datagrams.only() ? "datagram" : profile.toString(),
                        strict || self,
                        cases.size(),
                        (console.nanoTime().getAsLong() - began) / 1e9,
                        results)
                .surveyed(surveyed.stream().map(ConformCommand::found).toList());
        result = findings;
        report(findings, results);
    }

    /** A script is repeated with the device. */
    private void replay(List<String> script) {
        if (datagrams.only()) {
            throw ToolFailure.usage("a script is of conversations over TCP: leave --datagram out");
        }
        Path file = Path.of(String.valueOf(fuzz.replay));
        ReproRun.Outcome outcome;
        try {
            outcome = self
                    ? examination()
                            .whileListening(
                                    at -> new ReproRun(new Dialled(at, manner.patience(), Echo::new), manner.patience())
                                            .replay(file, script))
                    : withDevice(device -> new ReproRun(device, manner.patience()).replay(file, script));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } catch (IOException e) {
            throw ToolFailure.setup(String.valueOf(e.getMessage()));
        }
        result = outcome;
        line(outcome.sentence());
        outcome.differences().forEach(d -> line("  " + d));
        if (outcome.ending().equals("again")) {
            throw new ToolFailure(ExitStatus.FAILED, "the device does what the script tells of");
        }
    }

    /** Does something with the device that listens, or connects. */
    private <T> T withDevice(DeviceUse<T> use) throws IOException {
        List<? extends Subject> devices = devices();
        try {
            return use.of((TestedDevice) devices.get(0));
        } finally {
            devices.forEach(Subject::close);
        }
    }

    /** What is done with a device. */
    @FunctionalInterface
    private interface DeviceUse<T> {
        T of(TestedDevice device) throws IOException;
    }

    private void fuzz() {
        if (listen != null || datagrams.only()) {
            throw ToolFailure.usage("--fuzz takes a device that listens, over TCP: --peer HOST:PORT or --self");
        }
        Patience hasty = manner.hasty();
        FuzzRun.Outcome outcome;
        try {
            outcome = self
                    ? examination().whileListening(at -> fuzz(at, Echo::new, hasty))
                    : fuzz(answering(String.valueOf(peer)), profile.program(), hasty);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        result = outcome;
        if (outcome.fault() != null) {
            throw new ToolFailure(
                    ExitStatus.FAILED, outcome.fault(), "the conversations are kept in " + outcome.kept());
        }
    }

    private FuzzRun.Outcome fuzz(InetSocketAddress at, Function<Role, Application> program, Patience hasty)
            throws InterruptedException {
        List<FuzzPlayer> players = new ArrayList<>();
        for (int i = 0; i < jobs(); i++) {
            players.add(new FuzzPlayer(new Dialled(at, hasty, program, offer.survey()), hasty));
        }
        return new FuzzRun(console, fuzz, players, self).run(this::line);
    }

    private void run(List<TestCase> cases, Exclusions known, List<Result> results)
            throws InterruptedException, IOException {
        Runner runner = new Runner(manner.patience(), strict || self, known, this::tell)
                .attributing(AllCases.suite().cases())
                .under(parameters.equals("all") ? List.of(Parameter.values()) : List.of());
        SelfExamination.Examiner examiner = (own, devices) -> {
            try {
                if (!own.isEmpty() && devices.get(0) instanceof TestedDevice device) {
                    survey(runner, device);
                }
                List<Result> ended = runner.run(own, devices, () -> interrupted() || gone(devices));
                if (gone(devices) && !interrupted()) {
                    gone = true;
                    console.note("no connection comes any more: the run ends here");
                }
                return ended;
            } finally {
                devices.forEach(Subject::close);
            }
        };
        if (self) {
            SelfExamination examination = examination();
            results.addAll(examination.listening(cases, examiner));
            results.addAll(examination.connecting(cases, examiner));
            results.addAll(DatagramFlags.examine(provider.get(), console, jobs(), cases, examiner));
        } else {
            results.addAll(examiner.run(cases, devices()));
        }
    }

    private static boolean gone(List<? extends Subject> devices) {
        return devices.stream().allMatch(d -> d instanceof TestedDevice device && device.gone());
    }

    private TestedDevice kept(TestedDevice device) {
        return fuzz.restart == null ? device : new Restarted(device, new Restart(fuzz.restart, console));
    }

    /** Finds out what the device can do: all of it before a whole run, else what the cases depend on. */
    private void survey(Runner runner, TestedDevice device) throws InterruptedException {
        boolean whole = selection.whole();
        if (whole || peer != null) {
            runner.survey(device, whole, this::interrupted);
            if (!device.survived()) {
                console.note("the device's program ended while the tester found out what it can do");
            }
            String trouble = device.survey().trouble();
            if (peer != null && !trouble.isEmpty() && !interrupted()) {
                throw ToolFailure.setup(trouble, START_IT);
            }
        }
        surveyed.add(device);
        if (whole && !device.survey().facts().isEmpty()) {
            TerminalReport.survey(found(device)).forEach(this::line);
            line("");
        }
    }

    private static Findings.Surveyed found(TestedDevice device) {
        return new Findings.Surveyed(device.role().toString(), device.survey().facts());
    }

    private void tell(Result result) {
        // Of many cases with one cause the cause is enough, at the end.
        boolean explained = result.unclear() && !result.charge().requirement().isEmpty();
        if (verbose || result.failed() || (result.unclear() && !explained)) {
            line(TerminalReport.line(result));
        }
        progress.ended(result);
    }

    private List<? extends Subject> devices() throws IOException {
        if (datagrams.only()) {
            return DatagramFlags.devices(answering(String.valueOf(peer)), jobs());
        }
        List<TestedDevice> devices = new ArrayList<>();
        Survey survey = offer.survey();
        for (int i = 0; i < jobs(); i++) {
            if (peer != null) {
                devices.add(kept(
                        new Dialled(Addresses.resolveWithPort(peer), manner.patience(), profile.program(), survey)));
            } else {
                InetSocketAddress first = Addresses.toListenOn(String.valueOf(listen));
                int port = first.getPort() == 0 ? 0 : first.getPort() + i;
                InetSocketAddress at = new InetSocketAddress(first.getAddress(), port);
                String host = first.getAddress().isAnyLocalAddress() ? "" : Addresses.host(first);
                devices.add(kept(new Awaited(
                        at,
                        manner.patience(),
                        profile.program(),
                        peerCommand == null ? p -> {} : new PeerCommand(peerCommand, host),
                        survey)));
            }
        }
        return devices;
    }

    /** The address, if a program accepts connections there: else all cases would wait for nothing. */
    private InetSocketAddress answering(String where) {
        InetSocketAddress address = Addresses.resolveWithPort(where);
        try (Socket socket = new Socket()) {
            socket.connect(address, Math.toIntExact(manner.patience().closeMillis()));
            // Not closed at once: Linux's siw gives up listening over a connection that ends before it has taken it.
            console.interruption().pause(A_MOMENT_NANOS);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot connect to " + where + ": " + e.getMessage(), START_IT);
        }
        return address;
    }

    private int jobs() {
        return jobs != null ? jobs : self ? 4 : 1;
    }

    private SelfExamination examination() {
        return new SelfExamination(provider.get().devices().get(0), console, manner.patience(), jobs(), offer::survey);
    }

    private void report(Findings found, List<Result> results) {
        for (int i = 0; i < results.size(); i++) {
            if (selection.explain()) {
                line("");
                Explanation.of(results.get(i), found.cases().get(i)).forEach(this::line);
            } else if (results.get(i).failed()) {
                line("");
                TerminalReport.failure(found.cases().get(i)).forEach(this::line);
            }
            if (results.get(i).failed()) {
                String file = reports.capture(results.get(i));
                if (file != null) {
                    line("  capture      " + file);
                }
            }
        }
        results.stream().filter(Result::failed).findFirst().ifPresentOrElse(this::repro, () -> {
            if (reports.repro() != null) {
                console.note("no case failed: " + reports.repro() + " is not written");
            }
        });
        line("");
        List<String> causes = TerminalReport.causes(found);
        if (!causes.isEmpty()) {
            causes.forEach(this::line);
            line("");
        }
        TerminalReport.summary(found).forEach(this::line);
        reports.write(found);
        if (TerminalReport.failed(results)) {
            throw new ToolFailure(ExitStatus.FAILED, TerminalReport.sentence(found.totals()));
        }
        if (gone) {
            throw new ToolFailure(ExitStatus.FAILED, "not all cases were run, as no connection came");
        }
    }

    /** Leaves what repeats a failed case, if that is wanted. */
    private void repro(Result failed) {
        Path capture = reports.repro();
        if (capture == null) {
            return;
        }
        line("");
        line(failed.test().id());
        try {
            withDevice(device -> new ReproRun(device, manner.patience()).write(failed, capture))
                    .forEach(l -> line("  " + l));
        } catch (IOException e) {
            throw ToolFailure.setup("could not write what repeats the case: " + e.getMessage());
        }
    }

    @Override
    protected @Nullable Object result() {
        return result;
    }

    @Override
    protected Map<String, Json.EffectiveSetting> settings() {
        Map<String, Json.EffectiveSetting> flags = new TreeMap<>();
        for (OptionSpec flag : spec.options()) {
            Object value = flag.getValue();
            if (value != null && !flag.usageHelp() && !flag.versionHelp()) {
                boolean given = spec.commandLine().getParseResult().hasMatchedOption(flag);
                flags.put(flag.longestName(), new Json.EffectiveSetting(value.toString(), given ? "flag" : "default"));
            }
        }
        return flags;
    }
}
