package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.ConnectingDevice;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.verbs.Device;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Tests jwarp itself: with a target that listens, and then with targets that connect to each waiting tester. */
final class SelfExamination {
    /**
     * Settings of the tested jwarp: time-outs that a test can wait for, the read depths of the cases, and no empty
     * Write of an idle initiator, which a slow tester would receive instead of an answer.
     */
    static final Map<String, String> SETTINGS = Map.of(
            "jwarp.tcp.request-timeout", "1500",
            "jwarp.tcp.stall-timeout", "10000",
            "jwarp.tcp.linger", "1000",
            "jwarp.device.read-depth", "16",
            "jwarp.rdmap.nudge", "off");

    /** Runs cases on devices and closes the devices. */
    @FunctionalInterface
    interface Examiner {
        List<Result> run(List<TestCase> cases, List<? extends Subject> devices) throws InterruptedException;
    }

    private final Device device;
    private final Console console;
    private final Patience patience;
    private final int jobs;
    private final Supplier<Survey> survey;
    private final InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    SelfExamination(Device device, Console console, Patience patience, int jobs, Supplier<Survey> survey) {
        this.device = device;
        this.console = console;
        this.patience = patience;
        this.jobs = jobs;
        this.survey = survey;
    }

    /** Runs the cases for devices that listen. */
    List<Result> listening(List<TestCase> cases, Examiner examiner) throws InterruptedException {
        try (ConformTarget target = new ConformTarget(device, SETTINGS, console)) {
            InetSocketAddress at = target.listen(local);
            List<Subject> devices = new ArrayList<>();
            Survey own = survey.get();
            for (int i = 0; i < jobs; i++) {
                devices.add(new ListeningDevice(at, patience, Echo::new, own));
            }
            return examiner.run(ofRole(cases, Role.RESPONDER), devices);
        }
    }

    /** Runs {@code body} with a target that listens. */
    <T> T whileListening(Fuzzer<T> body) throws InterruptedException {
        try (ConformTarget target = new ConformTarget(device, SETTINGS, console)) {
            return body.run(target.listen(local));
        }
    }

    /** An action with a target that listens. */
    @FunctionalInterface
    interface Fuzzer<T> {
        T run(InetSocketAddress at) throws InterruptedException;
    }

    /** Runs the cases for devices that connect. */
    List<Result> connecting(List<TestCase> cases, Examiner examiner) throws InterruptedException, IOException {
        List<Subject> devices = new ArrayList<>();
        List<ConformTarget> targets = new ArrayList<>();
        Survey own = survey.get();
        for (int i = 0; i < jobs; i++) {
            ConnectingDevice awaited = new ConnectingDevice(local, patience, Echo::new, port -> {}, own);
            ConformTarget target = new ConformTarget(device, SETTINGS, console);
            InetSocketAddress at = new InetSocketAddress(local.getAddress(), awaited.port());
            ToolThreads.start("jwarp-target-" + i, () -> target.connect(at, Duration.ofSeconds(30)));
            devices.add(awaited);
            targets.add(target);
        }
        try {
            return examiner.run(ofRole(cases, Role.INITIATOR), devices);
        } finally {
            targets.forEach(ConformTarget::close);
        }
    }

    private static List<TestCase> ofRole(List<TestCase> cases, Role role) {
        return cases.stream().filter(c -> c.device() == role).toList();
    }
}
