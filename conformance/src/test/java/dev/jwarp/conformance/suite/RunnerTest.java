package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunnerTest {
    private static final Patience PATIENCE = Patience.of(100, 10, 100);
    private static final Requirement MUST = Catalogue.load().get("MPA-4.4-7");
    private static final Requirement SHOULD = Catalogue.load().get("MPA-8-1");

    @TempDir
    Path folder;

    private static final TestCase.Body DEVIATES = throwing(new Deviation("this", "that"));

    /** A device that is never used. */
    private final Subject nothing = (test, patience) -> new Passive();

    private static TestCase test(Requirement requirement, String name, TestCase.Body body) {
        return new TestCase(
                requirement.id() + ":" + name + "@responder",
                List.of(requirement),
                name,
                Role.RESPONDER,
                List.of(),
                List.of(),
                body);
    }

    private static TestCase.Body throwing(RuntimeException e) {
        return a -> {
            throw e;
        };
    }

    private List<Result> run(boolean strict, Exclusions known, TestCase... cases) throws InterruptedException {
        return new Runner(PATIENCE, strict, known, r -> {}).run(List.of(cases), List.of(nothing), () -> false);
    }

    @Test
    @DisplayName("an exception of a case is its verdict and never stops the run")
    void whatCaseThrowsIsItsVerdictAndNeverStopsRun() throws Exception {
        List<Result> results = run(
                false,
                Exclusions.NONE,
                test(MUST, "deviates", DEVIATES),
                test(MUST, "lacks", throwing(new Skip("needs more"))),
                test(MUST, "unclear", throwing(new Inconclusive("nobody knows"))),
                test(MUST, "broken", throwing(new IllegalStateException("the tester's fault"))),
                test(MUST, "badly-broken", a -> {
                    throw new StackOverflowError("the tester's fault");
                }),
                test(MUST, "good", a -> {}));

        assertThat(results)
                .extracting(Result::verdict)
                .containsExactly(
                        Verdict.FAIL,
                        Verdict.SKIPPED,
                        Verdict.INCONCLUSIVE,
                        Verdict.INCONCLUSIVE,
                        Verdict.INCONCLUSIVE,
                        Verdict.PASS);
        assertThat(results.get(0).expected()).isEqualTo("this");
        assertThat(results.get(0).actual()).isEqualTo("that");
        assertThat(results.get(3).actual()).contains("the tester failed", "the tester's fault");
        assertThat(results.get(4).actual()).contains("the tester failed");
    }

    @Test
    @DisplayName("results are in the order of the cases, in whatever order the cases end")
    void resultsStandInOrderOfCasesWhateverEndsFirst() throws Exception {
        CountDownLatch later = new CountDownLatch(5);
        TestCase[] cases = new TestCase[6];
        cases[0] = test(MUST, "case-0", a -> later.await());
        for (int i = 1; i < cases.length; i++) {
            cases[i] = test(MUST, "case-" + i, a -> later.countDown());
        }
        List<String> ended = Collections.synchronizedList(new ArrayList<>());
        List<Result> results = new Runner(
                        PATIENCE,
                        false,
                        Exclusions.NONE,
                        r -> ended.add(r.test().title()))
                .run(List.of(cases), List.of(nothing, nothing), () -> false);

        assertThat(results)
                .extracting(r -> r.test().title())
                .containsExactly("case-0", "case-1", "case-2", "case-3", "case-4", "case-5");
        assertThat(ended).hasSize(6);
        assertThat(ended.indexOf("case-0")).isGreaterThanOrEqualTo(4);
    }

    @Test
    @DisplayName("a case that did not begin before the end of the run has no verdict, even if the device answers again")
    void endsOnce() throws Exception {
        AtomicBoolean silent = new AtomicBoolean(true);
        List<Result> results = new Runner(PATIENCE, false, Exclusions.NONE, r -> {})
                .run(
                        List.of(test(MUST, "first", a -> {}), test(MUST, "second", a -> {})),
                        List.of(nothing, nothing),
                        () -> silent.getAndSet(false));
        assertThat(results).extracting(Result::verdict).doesNotContain(Verdict.INCONCLUSIVE);
    }

    @Test
    @DisplayName("recommendations are tested when strict")
    void whatIsOnlyRecommendedIsTriedWhenStrict() throws Exception {
        TestCase recommended = test(SHOULD, "recommended", a -> {});

        assertThat(run(false, Exclusions.NONE, recommended).get(0).verdict()).isEqualTo(Verdict.SKIPPED);
        assertThat(run(true, Exclusions.NONE, recommended).get(0).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    @DisplayName("an excluded failure does not count, and an excluded case that passes is reported")
    void excludedFailureDoesNotCount() throws Exception {
        Exclusions known = exclusions(
                "# what we know", "", "MPA-4.4-7:deviates@responder  since 2019", "MPA-4.4-7  it has always been so");
        List<Result> results = run(false, known, test(MUST, "deviates", DEVIATES), test(MUST, "good", a -> {}));

        assertThat(results.get(0).verdict()).isEqualTo(Verdict.FAIL);
        assertThat(results.get(0).failed()).isFalse();
        assertThat(results.get(1).verdict()).isEqualTo(Verdict.PASS);
        assertThat(results).extracting(Result::excluded).containsExactly("since 2019", "it has always been so");
        assertThat(known.veto(results.get(0).test())).isEmpty();
    }

    @Test
    @DisplayName("a case that would end the device is not tried")
    void whatWouldEndDeviceIsNotTried() throws Exception {
        Exclusions known = exclusions("!rfc5044/4.4 the kernel dies");
        List<Result> results = run(false, known, test(MUST, "deadly", DEVIATES));

        assertThat(results.get(0).verdict()).isEqualTo(Verdict.SKIPPED);
        assertThat(results.get(0).actual()).contains("the kernel dies");
        assertThat(known.reason(results.get(0).test())).isEmpty();
    }

    @Test
    @DisplayName("an exclusion without a reason is refused with its line")
    void exclusionWithoutReasonIsRefusedWithItsLine() {
        assertThatThrownBy(() -> exclusions("# one", "MPA-4.4-7"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(":2:")
                .hasMessageContaining("reason");
    }

    private Exclusions exclusions(String... lines) throws IOException {
        return Exclusions.read(Files.write(folder.resolve("known"), List.of(lines)));
    }

    /** A device that is right only with some choices of the tester. */
    private static final class Choosy implements Subject {
        private final boolean open;
        private final List<Variation> tried = new ArrayList<>();

        Choosy(boolean open) {
            this.open = open;
        }

        Variation now() {
            return tried.get(tried.size() - 1);
        }

        @Override
        public Attempt attempt(TestCase test, Patience patience) {
            tried.add(Variation.USUAL);
            return new Passive() {
                @Override
                public boolean under(Variation chosen) {
                    tried.set(tried.size() - 1, chosen);
                    return chosen.start() != Variation.Start.REVISION_1;
                }

                @Override
                public boolean leavesOpen() {
                    return open;
                }
            };
        }
    }

    private static Result run(Choosy device, Variation.Coverage coverage, TestCase.Body body) {
        return new Runner(PATIENCE, false, Exclusions.NONE, r -> {})
                .under(coverage.variations())
                .run(test(MUST, "choosy", body), device);
    }

    @Test
    @DisplayName("a case that passes is tried with each choice that it leaves open, and a failure names the choice")
    void caseThatPassesIsTriedWithEachChoice() {
        Choosy device = new Choosy(true);

        Result result = run(device, Variation.Coverage.EACH, a -> {
            Variation now = device.now();
            if (now.markers()
                    || now.writes() == Wire.Writes.BYTE_BY_BYTE
                    || now.start() == Variation.Start.REVISION_1) {
                throw new Deviation("this", "that");
            }
        });

        assertThat(device.tried).hasSize(1 + 6).allMatch(c -> c.values().size() <= 1);
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.actual()).isEqualTo("only with Markers for the tester, byte by byte: that");
    }

    @ParameterizedTest
    @EnumSource(
            value = Variation.Coverage.class,
            names = {"PAIRS", "ALL"})
    @DisplayName("if choices fail only together, a failure names exactly these")
    void choicesThatFailOnlyTogether(Variation.Coverage coverage) {
        Choosy device = new Choosy(true);

        Result result = run(device, coverage, a -> {
            if (!device.now().crc() && device.now().writes() == Wire.Writes.TOGETHER) {
                throw new Deviation("this", "that");
            }
        });

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.actual())
                .isEqualTo("only without CRCs asked by the tester and with FPDUs together in one write: that");
    }

    @Test
    @DisplayName("there are 36 combinations with the usual choices; a third of them has each pair")
    void coverages() {
        assertThat(Variation.Coverage.DEFAULT.variations()).isEmpty();
        assertThat(Variation.Coverage.EACH.variations()).hasSize(6);
        assertThat(Variation.Coverage.ALL.variations()).hasSize(35).doesNotHaveDuplicates();
        List<Variation> pairs = Variation.Coverage.PAIRS.variations();
        assertThat(pairs).hasSizeLessThanOrEqualTo(12);
        for (Variation.Start start : Variation.Start.values()) {
            for (Wire.Writes writes : Wire.Writes.values()) {
                if (start != Variation.Start.USUAL || writes != Wire.Writes.EACH) {
                    assertThat(pairs).anyMatch(c -> c.start() == start && c.writes() == writes);
                }
            }
            assertThat(pairs).anyMatch(c -> c.start() == start && c.markers());
            assertThat(pairs).anyMatch(c -> c.start() == start && !c.crc());
        }
        for (Wire.Writes writes : Wire.Writes.values()) {
            assertThat(pairs).anyMatch(c -> c.markers() && c.writes() == writes);
            assertThat(pairs).anyMatch(c -> !c.crc() && c.writes() == writes);
        }
        assertThat(pairs).anyMatch(c -> c.markers() && !c.crc()).anyMatch(c -> !c.markers() && !c.crc());
    }

    @Test
    @DisplayName("a case that fails with the usual choices, or leaves none open, is tried once")
    void oneThatFailsOrLeavesNoneOpenIsTriedOnce() {
        Choosy failing = new Choosy(true);
        Choosy closed = new Choosy(false);

        Result failed = run(failing, Variation.Coverage.ALL, DEVIATES);
        run(closed, Variation.Coverage.ALL, a -> {});

        assertThat(failed.actual()).isEqualTo("that");
        assertThat(failing.tried).hasSize(1);
        assertThat(closed.tried).hasSize(1);
    }

    @Test
    @DisplayName("a case after which the device's program has ended fails, whatever its result")
    void caseBehindWhichProgramHasEndedFails() {
        Subject dying = new Subject() {
            @Override
            public Attempt attempt(TestCase test, Patience patience) {
                return new Passive();
            }

            @Override
            public boolean survived() {
                return false;
            }
        };

        Result result = new Runner(PATIENCE, false, Exclusions.NONE, r -> {}).run(test(MUST, "good", a -> {}), dying);

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.charge().requirement()).isEqualTo(MUST.id());
        assertThat(result.actual()).startsWith("the device's program ended").endsWith("pass");
    }
}
