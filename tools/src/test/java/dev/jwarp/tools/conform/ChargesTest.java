package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * One gross fault of a stack, one charge: all cases of its role are run against it, and those that are about something else are inconclusive
 * because of it. {@code -Dcharges.only=REGEX} takes others of coarse-mutants.txt and mutants.txt, by requirement and title, and prints what
 * each is charged with.
 */
class ChargesTest {
    private static final Patience PATIENCE = Patience.of(2_000, 200, 10_000);

    /** Of those whose charge is right, one for each way in which it is found. */
    private static final String USUAL = "The CRC field is zero although CRCs are in use."
            + "|A CRC is sent most significant byte first, by an initiator too."
            + "|No FPDU has a CRC field."
            + "|PD_Length is little-endian."
            + "|A Request is of revision 3."
            + "|MSN is little-endian."
            + "|A listener takes one connection and resets all others.";

    @TestFactory
    @DisplayName("a stack with one gross fault is charged with that alone")
    Stream<DynamicTest> charges() throws Exception {
        String only = System.getProperty("charges.only", "");
        List<Mutant> all = new ArrayList<>(Mutant.coarse());
        all.addAll(Mutant.all());
        List<Mutant> mutants = all.stream()
                .filter(m -> only.isEmpty()
                        ? m.title().matches(USUAL)
                        : (m.breaks() + " " + m.title()).matches(".*(" + only + ").*"))
                .toList();
        assertThat(mutants).isNotEmpty();
        Map<Mutant, Map<String, byte[]>> classes = MutantCompiler.compile(mutants);
        return mutants.stream()
                .map(m -> DynamicTest.dynamicTest(
                        m.breaks() + ": " + m.title(), () -> judge(m, MutantStack.with(classes.get(m)))));
    }

    private static void judge(Mutant mutant, MutantStack stack) throws Exception {
        List<TestCase> cases = AllCases.suite().cases().stream()
                .filter(c -> c.device().toString().equals(mutant.role()))
                .toList();

        List<Result> results = stack.run(cases, PATIENCE);

        Set<String> charged = results.stream()
                .map(r -> r.charge().requirement())
                .filter(r -> !r.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        if (!System.getProperty("charges.only", "").isEmpty()) {
            System.out.println(mutant.breaks() + "\t" + String.join(" ", charged) + "\t" + mutant.title());
        }
        assertThat(results).hasSameSizeAs(cases);
        assertThat(charged)
                .as(() -> results.stream()
                        .filter(r -> !r.charge().requirement().isEmpty()
                                && !mutant.broken().contains(r.charge().requirement()))
                        .map(r -> r.test().id() + ": " + r.actual())
                        .collect(Collectors.joining("\n")))
                .isEqualTo(mutant.broken());
        assertThat(results)
                .filteredOn(r -> r.verdict() == Verdict.FAIL)
                .allSatisfy(r -> assertThat(mutant.broken()).contains(r.charge().requirement()));
    }
}
