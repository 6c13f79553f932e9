package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Transcript;
import java.util.List;

/**
 * The result of one case.
 *
 * @param test the case
 * @param verdict how the case ended
 * @param charge the requirement to which the case is charged
 * @param expectation of a failed case: what the device should have done
 * @param actual of a failed case: what the device did; otherwise why the case was skipped or inconclusive; may be empty
 * @param excluded the reason for which a failure is known and not counted; empty if the case is not excluded
 * @param nanos how long the case took
 * @param wires the conversations of the case
 */
public record Result(
        TestCase test,
        Verdict verdict,
        Charge charge,
        Expectation expectation,
        String actual,
        String excluded,
        long nanos,
        List<Transcript> wires) {

    /** {@return the words of {@link #expectation}} */
    public String expected() {
        return expectation.words();
    }

    /** The result of a case without a conversation. */
    static Result without(TestCase test, Verdict verdict, String why, String excluded) {
        return new Result(test, verdict, Charge.NONE, Expectation.NONE, why, excluded, 0, List.of());
    }

    /** The same case, inconclusive for this reason. */
    Result inconclusive(String why) {
        return new Result(test, Verdict.INCONCLUSIVE, Charge.NONE, Expectation.NONE, why, excluded, nanos, wires);
    }

    /** The same case, inconclusive because of a cause that another case has shown. */
    Result because(Result cause) {
        String requirement = cause.charge().requirement();
        String seen = verdict == Verdict.FAIL ? "expected " + expected() + ", got " + actual : actual;
        return new Result(
                test,
                Verdict.INCONCLUSIVE,
                Charge.to(requirement),
                Expectation.NONE,
                "because of " + requirement + " (" + cause.test().id() + "): " + seen,
                !excluded.isEmpty() || cause.excluded().isEmpty()
                        ? excluded
                        : "because of " + requirement + ": " + cause.excluded(),
                nanos,
                wires);
    }

    /** The same case, which fails only with these choices of the tester. */
    Result only(List<String> choices) {
        String only = "only " + String.join(", ", choices) + ": ";
        return new Result(test, verdict, charge, expectation, only + actual, excluded, nanos, wires);
    }

    /** Whether the case passed or was skipped. */
    boolean good() {
        return verdict == Verdict.PASS || verdict == Verdict.SKIPPED;
    }

    /** Whether the case failed or was inconclusive, and this was expected. */
    public boolean known() {
        return !good() && !excluded.isEmpty();
    }

    /** Whether the case was inconclusive, and this was not expected. */
    public boolean unclear() {
        return verdict == Verdict.INCONCLUSIVE && excluded.isEmpty();
    }

    /** Whether the case failed, and this was not expected. */
    public boolean failed() {
        return verdict == Verdict.FAIL && excluded.isEmpty();
    }

    /**
     * The requirement to which a case that did not pass is charged.
     *
     * @param requirement that a failed case shows to be broken, or whose breach explains an inconclusive case; empty if none is known
     * @param suspects requirements, each of which would explain the result if the device breaks it
     */
    public record Charge(String requirement, List<String> suspects) {
        /** No charge: for cases that passed or say nothing of a requirement. */
        public static final Charge NONE = new Charge("", List.of());

        /** A charge to a known requirement. */
        public static Charge to(String requirement) {
            return new Charge(requirement, List.of());
        }
    }
}
