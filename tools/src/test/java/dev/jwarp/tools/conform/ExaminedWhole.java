package dev.jwarp.tools.conform;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Runner;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Runs many cases against the stack of the class loader that loaded this class, as {@code jwarp conform --self} does. */
public final class ExaminedWhole implements BiFunction<List<TestCase>, Patience, List<Result>> {
    private static final int JOBS = 10;

    /** Called by reflection. */
    public ExaminedWhole() {}

    @Override
    public List<Result> apply(List<TestCase> cases, Patience patience) {
        Console console = Run.later().console();
        RdmaProvider provider = RdmaProvider.load();
        Runner runner = new Runner(patience, true, Exclusions.NONE, r -> {})
                .attributing(AllCases.suite().cases());
        SelfExamination examination =
                new SelfExamination(provider.devices().get(0), console, patience, JOBS, Survey::new);
        SelfExamination.Examiner examiner = (own, devices) -> {
            try {
                return runner.run(own, devices, () -> false);
            } finally {
                devices.forEach(Subject::close);
            }
        };
        try {
            List<Result> results = new ArrayList<>(examination.listening(cases, examiner));
            results.addAll(examination.connecting(cases, examiner));
            results.addAll(DatagramFlags.examine(provider, console, JOBS, cases, examiner));
            return results;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
