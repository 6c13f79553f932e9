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
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.suite.OneConnectionDevice;
import dev.jwarp.conformance.suite.RestartingDevice;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Runner;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.conformance.suite.Variation;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.SignOfLife;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code jwarp conform}: tests a peer against the RFCs. */
@Command(
        name = "conform",
        description = "Test any iWARP peer against the RFCs, requirement by requirement, and report each deviation.")
public final class ConformCommand extends ToolCommand {
    /** The property of logback.xml for the log level. */
    private static final String LOG_LEVEL = "dev.jwarp.log";

    private final Supplier<RdmaProvider> provider;
    private Progress progress;
    private final List<TestedDevice> surveyed = new ArrayList<>();
    /** The first lines of the report, until they are printed. */
    private final List<String> heading = new ArrayList<>();

    private boolean gone;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private Selection selection = new Selection();

    @Mixin
    private DeviceFlags device = new DeviceFlags();

    @Mixin
    private ProfileFlags profile = new ProfileFlags();

    @Mixin
    private DatagramFlags datagrams = new DatagramFlags();

    @Option(names = "--strict", description = "Also test the recommendations (SHOULD) of the documents.")
    private boolean strict;

    @Option(
            names = "--parameters",
            paramLabel = "default|each|pairs|all",
            defaultValue = "default",
            description =
                    "Repeat each passing case with other parameters that it allows: with Markers, without CRCs, with"
                            + " revision 1, peer to peer, byte by byte, with FPDUs together. each: one parameter at a"
                            + " time; pairs: all pairs; all: all combinations.")
    private Variation.Coverage parameters = Variation.Coverage.DEFAULT;

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
            description = "Seconds between lines of progress on standard error; default 1, 0 for none.")
    private double interval;

    @Option(names = "-v", description = "Show each case, not only those that did not pass.")
    private boolean verbose;

    public ConformCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
        progress = new Progress(console, 0, 0);
    }

    @Override
    protected void execute() {
        boolean explains = selection.explain() && !device.given() && !fuzz.wanted();
        if (explains || (selection.list() && !fuzz.wanted())) {
            new UselessFlags(spec.commandLine().getParseResult()).besideWords(explains);
        }
        if (explains) {
            selection.explanation().forEach(this::line);
            return;
        }
        check();
        if (device.self() && !debug()) {
            // Without this, the log would show the faults that the tester provokes in jwarp. Must be set before the
            // first logger is made (logback.xml).
            console.properties().putIfAbsent(LOG_LEVEL, "ERROR");
        }
        if (fuzz.wanted()) {
            List<String> script = fuzz.script();
            if (script != null) {
                replay(script);
            } else {
                fuzz();
            }
            return;
        }
        List<TestCase> cases =
                selection.cases(role -> datagrams.takes(role, device.listens(), device.self() || selection.list()));
        Exclusions known = selection.exclusions();
        if (selection.list()) {
            cases.forEach(c -> line(c.id() + "  " + c.title()));
            return;
        }
        Findings.Origin origin = Reports.origin(spec.commandLine().getParseResult());
        heading.addAll(TerminalReport.origin(origin));
        long began = console.nanoTime().getAsLong();
        progress = new Progress(console, cases.size(), interval);
        List<Result> results = new ArrayList<>();
        try {
            run(cases, known, results);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw ToolFailure.setup(String.valueOf(e.getMessage()));
        }
        Findings findings = Findings.of(
                device.words(),
                origin,
                device.self() ? "echo" : datagrams.only() ? "datagram" : profile.toString(),
                strict || device.self(),
                cases.size(),
                (console.nanoTime().getAsLong() - began) / 1e9,
                surveyed.stream().map(ConformCommand::found).toList(),
                results);
        result = findings;
        report(findings, results);
    }

    /** Rejects wrong flags, and flags that exclude each other. */
    private void check() {
        device.check(!selection.list());
        profile.check(device.connects(), device.self() || datagrams.only());
        manner.check();
        offer.check(!device.connects());
        fuzz.check();
        datagrams.check(device.self());
        if (datagrams.only() && device.connects()) {
            throw ToolFailure.usage("--datagram needs --peer or --self: no device connects");
        }
        if (fuzz.restart != null && !fuzz.wanted() && (device.self() || datagrams.only() || device.jobs() > 1)) {
            throw ToolFailure.usage(
                    "--restart needs --peer or --listen and one case at a time, without --self, --datagram and --jobs");
        }
        boolean several = device.jobs() > 1 || (fuzz.wanted() && fuzz.replay == null);
        if (several && device.listens() && profile.servesOne(fuzz.restart != null)) {
            throw ToolFailure.usage(
                    "--profile " + profile + " allows one connection at a time: leave out --jobs and --fuzz");
        }
        if (!(interval >= 0)) {
            throw ToolFailure.usage("-i " + interval + " is out of range: 0 and more");
        }
        reports.check();
        if (reports.repro() != null && (device.self() || datagrams.only())) {
            throw ToolFailure.usage("--repro needs a device over TCP: --peer HOST:PORT or --listen PORT");
        }
        UselessFlags useless = new UselessFlags(spec.commandLine().getParseResult());
        if (fuzz.wanted()) {
            useless.besideConversations(fuzz.replay != null);
        } else {
            useless.besideCases();
        }
        if (device.self()) {
            useless.besideSelf();
        }
        if (datagrams.only()) {
            useless.besideDatagrams();
        }
        if (device.connects()) {
            useless.besideListen();
        }
    }

    /** Replays a script with the device. */
    private void replay(List<String> script) {
        if (datagrams.only()) {
            throw ToolFailure.usage("a script has conversations over TCP: leave out --datagram");
        }
        new UselessFlags(spec.commandLine().getParseResult()).besideScript();
        Path file = Path.of(String.valueOf(fuzz.replay));
        ReproRun.Outcome outcome;
        try {
            outcome = device.self()
                    ? examination()
                            .whileListening(at -> new ReproRun(
                                            new ListeningDevice(at, manner.patience(), Echo::new), manner.patience())
                                    .replay(file, script))
                    : withDevice(tested -> new ReproRun(tested, manner.patience()).replay(file, script));
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
            throw new ToolFailure(ExitStatus.FAILED, "the device shows the fault of the script again");
        }
    }

    /** Uses the first device, and closes all devices. */
    private <T> T withDevice(DeviceUse<T> use) throws IOException {
        List<? extends Subject> devices = devices();
        try {
            return use.of((TestedDevice) devices.get(0));
        } finally {
            devices.forEach(Subject::close);
        }
    }

    /** An action with a device. */
    @FunctionalInterface
    private interface DeviceUse<T> {
        T of(TestedDevice device) throws IOException;
    }

    private void fuzz() {
        if (device.connects() || datagrams.only()) {
            throw ToolFailure.usage("--fuzz needs a device that listens, over TCP: --peer HOST:PORT or --self");
        }
        Patience hasty = manner.hasty();
        FuzzRun.Outcome outcome;
        try {
            outcome = device.self()
                    ? examination().whileListening(at -> fuzz(at, Echo::new, hasty))
                    : fuzz(answering(), profile.program(), hasty);
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
        for (int i = 0; i < device.jobs(); i++) {
            players.add(new FuzzPlayer(
                    new ListeningDevice(at, hasty, program, offer.survey(profile.privateData())), hasty));
        }
        return new FuzzRun(console, fuzz, players, device.self()).run(this::line);
    }

    private void run(List<TestCase> cases, Exclusions known, List<Result> results)
            throws InterruptedException, IOException {
        Runner runner = new Runner(manner.patience(), strict || device.self(), known, this::tell)
                .attributing(AllCases.suite().cases())
                .under(parameters.variations());
        SelfExamination.Examiner examiner = (own, devices) -> {
            try {
                if (!own.isEmpty() && devices.get(0) instanceof TestedDevice tested) {
                    survey(runner, tested);
                }
                heading();
                List<Result> ended = runner.run(own, devices, () -> interrupted() || gone(devices) || runner.deaf());
                if ((gone(devices) || runner.deaf()) && !interrupted()) {
                    gone = true;
                    console.note((gone(devices)
                                    ? device.listens()
                                            ? "the device accepts no more connections"
                                            : "the device makes no more connections"
                                    : "the device does not answer any more")
                            + ": the run ends here");
                }
                return ended;
            } finally {
                devices.forEach(Subject::close);
            }
        };
        if (device.self()) {
            SelfExamination examination = examination();
            results.addAll(examination.listening(cases, examiner));
            results.addAll(examination.connecting(cases, examiner));
            results.addAll(DatagramFlags.examine(provider.get(), console, device.jobs(), cases, examiner));
        } else {
            results.addAll(examiner.run(cases, devices()));
        }
    }

    private static boolean gone(List<? extends Subject> devices) {
        return devices.stream().allMatch(d -> d instanceof TestedDevice device && device.gone());
    }

    private TestedDevice kept(TestedDevice device) {
        Restart restart = fuzz.restart == null ? null : new Restart(fuzz.restart, console);
        if (profile.servesOne(restart != null)) {
            return new OneConnectionDevice(device, restart == null ? null : restart::whole);
        }
        return restart == null ? device : new RestartingDevice(device, restart);
    }

    /** Prints the heading once, when the run begins: a run that cannot begin has no report. */
    private void heading() {
        if (!heading.isEmpty()) {
            heading.forEach(this::line);
            heading.clear();
            line("");
        }
    }

    /**
     * Surveys the abilities of the device: all of them before a whole run, otherwise those that the cases depend on.
     */
    private void survey(Runner runner, TestedDevice tested) throws InterruptedException {
        boolean whole = selection.whole();
        if (whole || device.listens()) {
            runner.survey(tested, whole, this::interrupted);
            if (!tested.survived()) {
                console.note("the device's program ended during the survey of its abilities");
            }
            String trouble = tested.survey().trouble();
            if (device.listens() && !trouble.isEmpty() && !interrupted()) {
                throw ToolFailure.setup(trouble, DeviceFlags.START_IT);
            }
            unanswered(tested);
            String other = tested.survey().otherProgram();
            if (!other.isEmpty()) {
                throw ToolFailure.setup(other, ProfileFlags.CHOOSE);
            }
        }
        surveyed.add(tested);
        heading();
        if (whole && !tested.survey().facts().isEmpty()) {
            TerminalReport.survey(found(tested)).forEach(this::line);
            line("");
        }
    }

    /** Fails if the device does not answer or rejects every request, because each case would wait in vain. */
    private void unanswered(TestedDevice tested) {
        String came = tested.survey().silence();
        if (!came.isEmpty() && !interrupted()) {
            throw ToolFailure.setup(
                    device.words()
                            + (device.listens()
                                    ? " accepts connections, but does not answer the MPA Request: expected an MPA"
                                            + " Reply, got "
                                    : " sends no MPA Request: expected one, got ")
                            + came,
                    "is that an iWARP device? A slow device needs --timeout"
                            + (device.listens() ? ", a device of another revision --revision" : ""));
        }
        if (tested.survey().rejects(tested.role())) {
            throw ToolFailure.setup(
                    "the device rejects the tester's Request (R=1)",
                    "does its program need --private-data, or another --profile?");
        }
    }

    private static Findings.RoleFacts found(TestedDevice device) {
        return new Findings.RoleFacts(device.role().toString(), device.survey().facts());
    }

    private void tell(Result result) {
        // If many cases have one cause, only the cause is printed, at the end.
        boolean explained = result.unclear() && !result.charge().requirement().isEmpty();
        if (verbose || result.failed() || (result.unclear() && !explained)) {
            line(TerminalReport.line(result));
        }
        progress.ended(result);
    }

    private List<? extends Subject> devices() throws IOException {
        return datagrams.only()
                ? datagrams.devices(answering(), device.jobs())
                : device.open(manner.patience(), profile.program(), offer.survey(profile.privateData())).stream()
                        .map(this::kept)
                        .toList();
    }

    private InetSocketAddress answering() {
        return device.answering(manner.patience(), console);
    }

    private SelfExamination examination() {
        return new SelfExamination(
                provider.get().devices().get(0), console, manner.patience(), device.jobs(), offer::survey);
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
            throw new ToolFailure(
                    ExitStatus.FAILED,
                    TerminalReport.sentence(found.totals()),
                    TerminalReport.gross(found).toArray(String[]::new));
        }
        if (gone) {
            throw new ToolFailure(
                    ExitStatus.FAILED, "not all cases were run, because the device does not serve any more");
        }
    }

    /** Writes capture and script of a failed case, if the user wants that. */
    private void repro(Result failed) {
        Path capture = reports.repro();
        if (capture == null) {
            return;
        }
        line("");
        line(failed.test().id());
        try {
            withDevice(tested -> new ReproRun(tested, manner.patience()).write(failed, capture))
                    .forEach(l -> line("  " + l));
        } catch (IOException e) {
            throw ToolFailure.setup("cannot write capture or script: " + e.getMessage());
        }
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

    /** Progress lines on standard error. The runner calls this with one result at a time. */
    static final class Progress {
        private final Console console;
        private final int all;
        private final SignOfLife life;
        private int done;
        private int failed;

        /**
         * Begins a run.
         *
         * @param all number of cases
         * @param seconds between two lines; 0 for none
         */
        Progress(Console console, int all, double seconds) {
            this.console = console;
            this.all = all;
            life = new SignOfLife(console, Duration.ofNanos((long) (seconds * 1e9)));
        }

        void ended(Result result) {
            done++;
            failed += result.failed() ? 1 : 0;
            if (done < all && life.due()) {
                console.note(done + " of " + all + " cases, " + failed + " failed; last "
                        + result.test().id());
            }
        }
    }
}
