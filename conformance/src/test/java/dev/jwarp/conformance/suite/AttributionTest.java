package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Journal;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Transcript;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A fault is charged once:")
class AttributionTest {
    private static final Patience PATIENCE = Patience.of(100, 10, 100);
    private static final Catalogue CATALOGUE = Catalogue.load();
    private static final String CRC = "MPA-4.4-2";
    private static final String PAD = "MPA-4.1-3";
    private static final String QN = "DDP-7.1-1";
    private static final String STAG = "DDP-7.1-6";

    private final List<String> tried = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();

    private List<Transcript> recorded = List.of();
    private boolean answers = true;

    /** Requirements that every conversation relies on. */
    private Set<String> relied = Set.of();

    private final Subject device = (test, patience) -> {
        tried.add(test.id());
        waits.add(patience.answerMillis());
        return new Passive() {
            @Override
            public List<Transcript> recorded() {
                return recorded;
            }

            @Override
            public Set<String> relied() {
                return relied;
            }
        };
    };

    private static TestCase test(String name, List<String> requirements, List<String> after, TestCase.Body body) {
        return new TestCase(
                requirements.get(0) + ":" + name + "@responder",
                requirements.stream().map(CATALOGUE::get).toList(),
                "a case",
                Role.RESPONDER,
                after,
                List.of(),
                body);
    }

    private static TestCase test(String requirement, TestCase.Body body) {
        return test("case", List.of(requirement), List.of(), body);
    }

    private static TestCase good(String requirement) {
        return test(requirement, a -> {});
    }

    private static TestCase bad(String requirement, String... after) {
        return test("case", List.of(requirement), List.of(after), a -> {
            throw new Deviation("this", "that");
        });
    }

    /** A case that shows a breach of another requirement. */
    private static TestCase showing(String broken, String... requirements) {
        return test("case", List.of(requirements), List.of(), a -> {
            throw Deviation.from(broken, "this", "that");
        });
    }

    /** A case that cannot begin because of another requirement. */
    private static TestCase unable(String requirement, String why, String suspect) {
        return test(requirement, a -> {
            throw new Inconclusive(why, List.of(suspect));
        });
    }

    /** A case that passes as long as the device answers. */
    private TestCase answered(String requirement) {
        return test(requirement, a -> {
            if (!answers) {
                throw new Deviation("an MPA Reply", "nothing");
            }
        });
    }

    private static Runner runner(TestCase... all) {
        return new Runner(PATIENCE, true, Exclusions.NONE, r -> {}).attributing(List.of(all));
    }

    private Result run(TestCase test, TestCase... others) {
        return run(Exclusions.NONE, test, others);
    }

    private Result run(Exclusions known, TestCase test, TestCase... others) {
        List<TestCase> all = new ArrayList<>(List.of(others));
        all.add(test);
        return new Runner(PATIENCE, true, known, r -> {}).attributing(all).run(test, device);
    }

    private static void isBecauseOf(Result result, String requirement) {
        assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(result.charge().requirement()).isEqualTo(requirement);
        assertThat(result.actual()).startsWith("because of " + requirement).contains("expected this, got that");
        assertThat(result.expected()).isEmpty();
    }

    private static void isChargedTo(Result result, String requirement) {
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.charge().requirement()).isEqualTo(requirement);
    }

    @Test
    @DisplayName("a failure is charged to the case's own requirement if no other explains it")
    void own() {
        isChargedTo(run(bad(STAG, QN), good(QN)), STAG);
    }

    @Test
    @DisplayName("a failure is charged to a requirement that the case comes after, if the device breaks that one")
    void after() {
        isBecauseOf(run(bad(STAG, QN), bad(QN)), QN);
    }

    @Test
    @DisplayName("a case comes after its further requirements that precede its own in the documents")
    void beside() {
        TestCase test = AllCases.suite().cases().stream()
                .filter(c -> c.id().equals("MPA-7.1.2-2:reply-for-request@responder"))
                .findFirst()
                .orElseThrow();

        assertThat(test.requirements()).extracting(Requirement::id).containsExactly("MPA-7.1.2-2", "MPA-7.1.1-2");
        assertThat(test.after()).containsExactly("MPA-7.1.1-2");
    }

    @Test
    @DisplayName("or to a requirement that the conversation relied on")
    void reliedOn() {
        relied = Set.of(CRC);

        isBecauseOf(run(bad(STAG), bad(CRC)), CRC);
    }

    @Test
    @DisplayName("the cause of a cause is the cause")
    void chain() {
        isBecauseOf(run(bad(STAG, QN), bad(QN, PAD), bad(PAD)), PAD);
    }

    @Test
    @DisplayName("if two requirements name each other, one is charged")
    void circle() {
        TestCase first = bad(STAG, QN);
        TestCase second = bad(QN, STAG);
        Runner runner = runner(first, second);

        isBecauseOf(runner.run(first, device), QN);
        assertThat(runner.run(second, device).verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    @DisplayName("a later requirement is no cause of an earlier one")
    void basics() {
        relied = Set.of(CRC, "DDP-4.1-1");

        assertThat(run(bad(CRC), bad("DDP-4.1-1")).verdict()).isEqualTo(Verdict.FAIL);
        isBecauseOf(run(bad("DDP-4.1-1"), bad(CRC)), CRC);
    }

    @Test
    @DisplayName(
            "but a case may say that it comes after what stands above, and is no witness for its own requirement then")
    void declared() {
        TestCase late = bad(CRC, "DDP-4.1-1");
        TestCase above = bad("DDP-4.1-1");
        relied = Set.of(CRC);
        Runner runner = runner(late, test("first", List.of(CRC), List.of(), a -> {}), above);

        assertThat(runner.run(above, device).verdict()).isEqualTo(Verdict.FAIL);
        isBecauseOf(runner.run(late, device), "DDP-4.1-1");
    }

    @Test
    @DisplayName("a deviation that shows another broken requirement is charged to that one, in any case")
    void shown() {
        relied = Set.of(QN); // broken, too, but not the cause of this deviation

        isBecauseOf(run(showing(CRC, STAG), good(CRC), bad(QN)), CRC);
    }

    @Test
    @DisplayName("and fails the case of that requirement")
    void shownByItsOwn() {
        isChargedTo(run(showing(CRC, STAG, CRC)), CRC);
    }

    @Test
    @DisplayName(
            "a case stays charged to its own requirement, even if that explains requirements that the case relied on")
    void ownShowsElsewhere() {
        isChargedTo(run(bad(STAG, QN), showing(STAG, QN)), STAG);
    }

    @Test
    @DisplayName("a case that could not begin names the reason, if it can be found out")
    void couldNotBegin() {
        TestCase unable = unable(STAG, "no answer", QN);

        assertThat(run(unable, bad(QN)).actual()).startsWith("because of " + QN).endsWith("no answer");
        assertThat(run(unable, good(QN)).actual()).isEqualTo("no answer");
    }

    @Test
    @DisplayName("a device that no longer serves is charged with nothing, whatever was found before")
    void gone() {
        TestCase first = test("MPA-7.1.1-3", a -> {
            if (!answers) {
                throw new Inconclusive("the end of the stream (FIN)");
            }
        });
        Runner runner = runner(first);
        runner.run(first, device);
        recorded = List.of(silent());

        assertThat(runner.run(bad(STAG), device).verdict()).isEqualTo(Verdict.FAIL);
        answers = false;
        Result result = runner.run(bad(QN), device);
        assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(result.charge()).isEqualTo(Result.Charge.NONE);
        assertThat(result.actual()).isEqualTo("the device serves no more: the end of the stream (FIN)");
    }

    @Test
    @DisplayName(
            "of a device that answers no more nothing is charged but the case that met it first, and then the run may end")
    void deaf() {
        TestCase first = answered("MPA-7.1.2-10");
        Runner runner = runner(first, bad("MPA-7.1.1-3"));
        recorded = List.of(conversation(Event.Kind.RECEIVED));
        runner.run(first, device);
        recorded = List.of(silent());
        answers = false;

        assertThat(runner.run(bad(STAG), device).verdict()).isEqualTo(Verdict.FAIL);
        for (TestCase next : List.of(bad(QN), unable(PAD, "could not begin", "MPA-7.1.1-3"))) {
            assertThat(runner.deaf()).isFalse();
            assertThat(runner.run(next, device).actual())
                    .isEqualTo("the device serves no more: expected an MPA Reply, got nothing");
        }
        assertThat(runner.deaf()).isTrue();
    }

    @Test
    @DisplayName("a device that answers again has not gone")
    void answersAgain() {
        TestCase first = answered("MPA-7.1.1-3");
        Runner runner = runner(first);
        recorded = List.of(conversation(Event.Kind.RECEIVED));
        runner.run(first, device);
        recorded = List.of(silent());
        for (String requirement : List.of("DDP-7.1-2", "DDP-7.1-3", "DDP-7.1-4", "DDP-7.1-5", STAG)) {
            answers = requirement.equals("DDP-7.1-4");
            runner.run(bad(requirement), device);
            assertThat(runner.deaf()).isFalse();
        }
    }

    /** A conversation that the device ended before it sent anything. */
    private static Transcript silent() {
        return conversation(Event.Kind.PEER_RESET);
    }

    private static Transcript conversation(Event.Kind kind) {
        InetSocketAddress end = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        Journal journal = new Journal(end, end, false);
        journal.record(Event.Kind.CONNECTED, new byte[0], "");
        journal.record(kind, new byte[0], "");
        return journal;
    }

    @Test
    @DisplayName("a case is tried once in a run, for itself or for others")
    void once() {
        TestCase own = bad(QN);
        Runner runner = runner(own);
        runner.run(bad(STAG, QN), device);
        runner.run(bad(PAD, QN), device);
        runner.run(own, device);

        assertThat(tried).containsOnlyOnce(own.id()).hasSize(3);
    }

    @Test
    @DisplayName("cases that a known deviation explains are known, too")
    void known(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("known"), QN + " the vendor knows");
        Result result = run(Exclusions.read(file), bad(STAG, QN), bad(QN));

        isBecauseOf(result, QN);
        assertThat(result.known()).isTrue();
        assertThat(result.excluded()).isEqualTo("because of " + QN + ": the vendor knows");
    }

    @Test
    @DisplayName(
            "once it is known why a device does not answer, first tries wait less; what they do not explain is tried again")
    void hurries() {
        long whole = PATIENCE.answerMillis();
        long less = PATIENCE.hurried().answerMillis();
        Runner runner = runner(bad(QN));
        for (String requirement : List.of("DDP-7.1-2", "DDP-7.1-3", "DDP-7.1-4", "DDP-7.1-5", STAG)) {
            isBecauseOf(runner.run(bad(requirement, QN), device), QN);
        }
        assertThat(waits).containsOnly(whole);
        waits.clear();

        isBecauseOf(runner.run(bad(PAD, QN), device), QN);
        assertThat(waits).containsExactly(less);
        waits.clear();

        assertThat(runner.run(showing(QN, "DDP-7.1-8"), device).charge().requirement())
                .isEqualTo(QN);
        assertThat(waits).containsExactly(less);
        waits.clear();

        assertThat(runner.run(bad(CRC), device).verdict()).isEqualTo(Verdict.FAIL);
        assertThat(waits).containsExactly(less, whole);
    }
}
