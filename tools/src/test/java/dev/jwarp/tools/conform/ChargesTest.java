package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * All cases of a role are run against stacks with one fault each, and charge them with what {@code charges.tsv} says: usually a few of the
 * stacks. {@code -Dcharges.only=REGEX} takes those whose requirement and title fit, prints what each is charged with and why, and how right that
 * is; {@code -Dcharges.only=.*} holds all of them to {@link Charges.Score#holds()}. With {@code -Dcharges.part=2/3} every third is run, and what
 * charges.tsv says of the others counts. With {@code -Dcharges.write=true} charges.tsv is written anew.
 */
class ChargesTest {
    private static final Patience PATIENCE = Patience.of(2_000, 200, 10_000);

    /** Stacks at a time. */
    private static final int AT_A_TIME = 2;

    /** One for each way in which a cause is found; a build has the first of them. */
    private static final String USUAL = "The CRC field is zero although CRCs are in use."
            + "|A CRC is sent most significant byte first, by an initiator too."
            + "|No FPDU has a CRC field."
            + "|FPDUs are filled up to multiples of eight, and are read so."
            + "|PD_Length is little-endian."
            + "|A Request is of revision 3."
            + "|MSN is little-endian."
            + "|A listener takes one connection and resets all others.";

    private final String only = System.getProperty("charges.only", "");
    private final String part = System.getProperty("charges.part", "1/1");

    @TestFactory
    @DisplayName("the suite charges a stack with one fault as it did when it was measured")
    Stream<DynamicTest> charges() throws Exception {
        List<Mutant> mutants = chosen();
        assertThat(mutants).isNotEmpty();
        Map<Mutant, Map<String, byte[]>> classes = MutantCompiler.compile(mutants);
        ExecutorService workers = Executors.newFixedThreadPool(AT_A_TIME);
        List<Future<Seen>> runs = new ArrayList<>();
        for (Mutant mutant : mutants) {
            runs.add(workers.submit(() -> whole(mutant, classes.get(mutant))));
        }
        workers.shutdown();
        Charges measured = Charges.read();
        Stream<DynamicTest> each = IntStream.range(0, mutants.size())
                .mapToObj(i -> DynamicTest.dynamicTest(
                        mutants.get(i).breaks() + ": " + mutants.get(i).title(),
                        () -> judge(mutants.get(i), runs.get(i).get(), measured)));
        Stream<DynamicTest> all =
                Stream.of(DynamicTest.dynamicTest("precision and recall", () -> score(mutants, measured)));
        return Stream.concat(each, all);
    }

    private List<Mutant> chosen() throws IOException {
        List<Mutant> named = Mutant.both().stream()
                .filter(m -> only.isEmpty()
                        ? m.title().matches(USUAL)
                        : (m.breaks() + " " + m.title()).matches(".*(" + only + ").*"))
                .limit(only.isEmpty() ? Whole.or(1, Integer.MAX_VALUE) : Integer.MAX_VALUE)
                .toList();
        int slash = part.indexOf('/');
        int which = Integer.parseInt(part.substring(0, slash));
        int parts = Integer.parseInt(part.substring(slash + 1));
        return IntStream.range(0, named.size())
                .filter(i -> i % parts == which % parts)
                .mapToObj(named::get)
                .toList();
    }

    private void score(List<Mutant> mutants, Charges measured) throws Exception {
        System.out.println(mutants.size() + " stacks with one fault: "
                + measured.score(mutants).words());
        if (Boolean.getBoolean("charges.write")) {
            measured.write(Mutant.both());
        }
        if (only.isEmpty() || only.equals(".*")) {
            Charges.Score score = measured.score(Mutant.both());
            System.out.println("With what is known of the others: " + score.words());
            assertThat(score.holds()).as(score.words()).isTrue();
        }
    }

    /**
     * What a run charges, without its conversations, which take much memory.
     *
     * @param why each charge to what the stack does not break, a line each
     */
    private record Seen(Set<String> charged, String why) {
        static Seen of(Mutant mutant, List<Result> results) {
            Set<String> charged = new TreeSet<>();
            StringBuilder why = new StringBuilder();
            for (Result r : results) {
                String requirement = r.charge().requirement();
                if (!requirement.isEmpty()) {
                    charged.add(requirement);
                    if (!mutant.broken().contains(requirement)) {
                        why.append("\n  %s -> %s: %s / %s"
                                .formatted(r.test().id(), requirement, r.expected(), r.actual()));
                    }
                }
            }
            return new Seen(charged, why.toString());
        }
    }

    private static Seen whole(Mutant mutant, Map<String, byte[]> classes) throws Exception {
        List<TestCase> cases = AllCases.suite().cases().stream()
                .filter(c -> c.device().toString().equals(mutant.role()))
                .toList();
        List<Result> results = MutantStack.with(classes).run(cases, PATIENCE);
        assertThat(results).hasSameSizeAs(cases);
        return Seen.of(mutant, results);
    }

    private void judge(Mutant mutant, Seen seen, Charges measured) {
        if (only.isEmpty()) {
            assertThat(seen.charged()).as(seen.why()).isEqualTo(measured.of(mutant));
        } else {
            measured.charged().put(mutant.title(), seen.charged());
            System.out.println(
                    mutant.breaks() + " | " + String.join(" ", seen.charged()) + " | " + mutant.title() + seen.why());
        }
    }
}
