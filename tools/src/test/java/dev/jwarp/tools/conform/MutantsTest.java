package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.Verdict;
import dev.jwarp.vectors.Whole;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The suite tells a stack that breaks a requirement from one that keeps it: each {@link Mutant} is caught by its case; in a build, an eighteenth of them. */
class MutantsTest {
    /** Most of a case is waiting. */
    private static final int AT_A_TIME = 8;

    private static final Patience PATIENCE = Patience.of(5_000, 200, 30_000);
    private static final List<TestCase> CASES = AllCases.suite().cases();

    private static List<Mutant> mutants;
    private static Map<Mutant, Map<String, byte[]>> classes;
    private static ExecutorService workers;
    private static final List<Future<List<Result>>> BROKEN = new ArrayList<>();
    private static final List<Future<Result>> WHOLE = new ArrayList<>();

    /** All runs are begun at once, as some wait for long. */
    @BeforeAll
    static void start() throws Exception {
        String only = System.getProperty("mutants.only", "");
        List<Mutant> all = Mutant.all();
        int share = only.isEmpty() ? Whole.or(18, 1) : 1;
        mutants = IntStream.range(0, all.size())
                .filter(i -> i % share == 0)
                .mapToObj(all::get)
                .filter(m -> (m.breaks() + " " + m.title()).contains(only))
                .toList();
        workers = Executors.newFixedThreadPool(AT_A_TIME, work -> {
            Thread thread = new Thread(work, "mutants");
            thread.setDaemon(true);
            return thread;
        });
        classes = MutantCompiler.compile(mutants);
        Set<TestCase> used = new LinkedHashSet<>();
        for (Mutant mutant : mutants) {
            List<TestCase> cases = casesFor(mutant);
            used.addAll(cases);
            BROKEN.add(workers.submit(() -> run(MutantStack.with(classes.get(mutant)), cases)));
        }
        MutantStack whole = MutantStack.unchanged();
        for (TestCase test : used) {
            WHOLE.add(workers.submit(() -> whole.run(test, PATIENCE)));
        }
    }

    @AfterAll
    static void stop() {
        workers.shutdownNow();
    }

    @TestFactory
    @DisplayName("each mutant is caught by its case")
    Stream<DynamicTest> eachMutantIsCaughtByItsCase() {
        return Stream.iterate(0, i -> i < mutants.size(), i -> i + 1)
                .map(i -> DynamicTest.dynamicTest(
                        mutants.get(i).breaks() + ": " + mutants.get(i).title(),
                        () -> judge(mutants.get(i), caught(i))));
    }

    /** A case that goes by moments may miss a fault while others take the processors: then again, with none beside it. */
    private static List<Result> caught(int index) throws Exception {
        List<Result> results = BROKEN.get(index).get();
        if (results.stream().allMatch(r -> r.verdict() == Verdict.FAIL)) {
            return results;
        }
        allEnd();
        Mutant mutant = mutants.get(index);
        return run(MutantStack.with(classes.get(mutant)), casesFor(mutant));
    }

    /** Waits until none runs any more. */
    private static void allEnd() throws Exception {
        for (Future<?> other : BROKEN) {
            other.get();
        }
        for (Future<?> other : WHOLE) {
            other.get();
        }
    }

    private static List<Result> run(MutantStack stack, List<TestCase> cases) {
        return cases.stream().map(test -> stack.run(test, PATIENCE)).toList();
    }

    /** The one case; all of the requirement where it is still to be found. */
    private static List<TestCase> casesFor(Mutant mutant) {
        return CASES.stream()
                .filter(c -> mutant.caughtBy().equals(Mutant.NOBODY)
                        ? c.requirements().stream()
                                .anyMatch(r -> mutant.broken().contains(r.id()))
                        : c.id().equals(mutant.caughtBy()))
                .toList();
    }

    private static void judge(Mutant mutant, List<Result> results) {
        List<String> story = results.stream().map(MutantsTest::line).toList();
        assertThat(mutant.caughtBy())
                .as("a case that catches it; its requirement's cases say %s", story)
                .isNotEqualTo(Mutant.NOBODY);
        assertThat(results).as("%s is a case", mutant.caughtBy()).hasSize(1);
        assertThat(results.get(0).test().requirements())
                .as("the case is one of the requirement that is broken")
                .anyMatch(r -> mutant.broken().contains(r.id()));
        assertThat(results.get(0).verdict()).as("%s", story).isEqualTo(Verdict.FAIL);
    }

    private static String line(Result r) {
        return "\n  " + r.test().id() + " " + r.verdict() + " " + r.nanos() / 1_000_000 + " ms: expected "
                + r.expected() + ", got "
                + (r.actual().length() > 160 ? r.actual().substring(0, 160) : r.actual());
    }

    @TestFactory
    @DisplayName("the stack as it is passes the same cases")
    Stream<DynamicTest> stackAsItIsPassesSameCases() {
        return WHOLE.stream()
                .map(run -> DynamicTest.dynamicTest("a case", () -> {
                    Result result = run.get();
                    if (result.verdict() != Verdict.PASS) {
                        // Rules of times break on a busy machine: again, with none beside it.
                        allEnd();
                        result = MutantStack.unchanged().run(result.test(), PATIENCE);
                    }
                    assertThat(result.verdict()).as(line(result)).isEqualTo(Verdict.PASS);
                }));
    }
}
