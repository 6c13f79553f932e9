package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * All cases of a role are run against stacks with one fault each: they are charged with what {@code charges.tsv} says, which
 * {@link MutantsPageTest} judges. Usually that is a few of the stacks; {@code -Dcharges.only=REGEX} takes others, by requirement and title,
 * and says why each is charged with what; with {@code -Dcharges.write=true} too, {@code charges.tsv} is written anew for them.
 */
class ChargesTest {
    private static final Patience PATIENCE = Patience.of(2_000, 200, 10_000);

    /** Stacks at a time. */
    private static final int AT_A_TIME = 2;

    /** One for each way in which a cause is found. */
    private static final String USUAL = "The CRC field is zero although CRCs are in use."
            + "|A CRC is sent most significant byte first, by an initiator too."
            + "|No FPDU has a CRC field."
            + "|PD_Length is little-endian."
            + "|A Request is of revision 3."
            + "|MSN is little-endian."
            + "|A listener takes one connection and resets all others.";

    private final String only = System.getProperty("charges.only", "");

    @TestFactory
    @DisplayName("the suite charges a stack with one fault as it did when it was measured")
    Stream<DynamicTest> charges() throws Exception {
        List<Mutant> mutants = Mutant.both().stream()
                .filter(m -> only.isEmpty()
                        ? m.title().matches(USUAL)
                        : (m.breaks() + " " + m.title()).matches(".*(" + only + ").*"))
                .toList();
        assertThat(mutants).isNotEmpty();
        Map<Mutant, Map<String, byte[]>> classes = MutantCompiler.compile(mutants);
        ExecutorService workers = Executors.newFixedThreadPool(AT_A_TIME);
        List<Future<List<Result>>> runs = new ArrayList<>();
        for (Mutant mutant : mutants) {
            runs.add(workers.submit(() -> whole(mutant, classes.get(mutant))));
        }
        workers.shutdown();
        return Stream.iterate(0, i -> i < mutants.size(), i -> i + 1)
                .map(i -> DynamicTest.dynamicTest(
                        mutants.get(i).breaks() + ": " + mutants.get(i).title(),
                        () -> judge(mutants.get(i), runs.get(i).get())));
    }

    private static List<Result> whole(Mutant mutant, Map<String, byte[]> classes) throws Exception {
        List<TestCase> cases = AllCases.suite().cases().stream()
                .filter(c -> c.device().toString().equals(mutant.role()))
                .toList();
        List<Result> results = MutantStack.with(classes).run(cases, PATIENCE);
        assertThat(results).hasSameSizeAs(cases);
        return results;
    }

    private void judge(Mutant mutant, List<Result> results) throws Exception {
        Set<String> charged = results.stream()
                .map(r -> r.charge().requirement())
                .filter(r -> !r.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        String why = results.stream()
                .filter(r -> !r.charge().requirement().isEmpty()
                        && !mutant.broken().contains(r.charge().requirement()))
                .map(r -> r.test().id() + " -> " + r.charge().requirement() + ": " + r.expected() + " / " + r.actual())
                .collect(Collectors.joining("\n  "));
        if (!only.isEmpty()) {
            System.out.println(mutant.breaks() + " | " + String.join(" ", charged) + " | " + mutant.title()
                    + (why.isEmpty() ? "" : "\n  " + why));
        }
        if (Boolean.getBoolean("charges.write")) {
            Charges measured = Charges.read();
            measured.charged().put(mutant.title(), charged);
            measured.write();
            return;
        }
        assertThat(charged).as(why).isEqualTo(Charges.read().of(mutant));
    }
}
