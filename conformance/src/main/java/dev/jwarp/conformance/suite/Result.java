package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Recorded;
import java.util.List;

/**
 * The end of one case.
 *
 * @param test the case
 * @param verdict how it ended
 * @param charge to which requirement it is charged
 * @param expected of a failed case: what should have come
 * @param actual of a failed case: what came; else why it was skipped or inconclusive; may be empty
 * @param excluded the reason why a failure is known and not counted; empty if it is not excluded
 * @param nanos how long it took
 * @param wires its conversations, with what was said on them
 */
public record Result(
        TestCase test,
        Verdict verdict,
        Charge charge,
        String expected,
        String actual,
        String excluded,
        long nanos,
        List<Recorded> wires) {

    /** The same case, which shows nothing of the device. */
    Result inconclusive(String why) {
        return new Result(test, Verdict.INCONCLUSIVE, Charge.NONE, "", why, excluded, nanos, wires);
    }

    /** The same case, which shows nothing, as another one found out why. */
    Result because(Result cause) {
        String requirement = cause.charge().requirement();
        String seen = verdict == Verdict.FAIL ? "expected " + expected + ", got " + actual : actual;
        return new Result(
                test,
                Verdict.INCONCLUSIVE,
                Charge.to(requirement),
                "",
                "because of " + requirement + " (" + cause.test().id() + "): " + seen,
                !excluded.isEmpty() || cause.excluded().isEmpty()
                        ? excluded
                        : "because of " + requirement + ": " + cause.excluded(),
                nanos,
                wires);
    }

    /** The same case, which passed but with these choices of the tester. */
    Result only(List<String> choices) {
        String only = "only " + String.join(", ", choices) + ": ";
        return new Result(test, verdict, charge, expected, only + actual, excluded, nanos, wires);
    }

    /** It failed, or showed nothing, as was expected. */
    public boolean known() {
        return (verdict == Verdict.FAIL || verdict == Verdict.INCONCLUSIVE) && !excluded.isEmpty();
    }

    /** It showed nothing, which was not expected. */
    public boolean unclear() {
        return verdict == Verdict.INCONCLUSIVE && excluded.isEmpty();
    }

    /** It failed, which was not expected. */
    public boolean failed() {
        return verdict == Verdict.FAIL && excluded.isEmpty();
    }

    /**
     * To which requirement a case that did not pass is charged.
     *
     * @param requirement that a failed case shows to be broken; the one whose breach explains an inconclusive case; empty if none is known
     * @param suspects requirements which, if one of them is broken, explain what was seen
     */
    public record Charge(String requirement, List<String> suspects) {
        /** Of cases that passed, and of those that say nothing of a requirement. */
        public static final Charge NONE = new Charge("", List.of());

        /** To a requirement, without a doubt. */
        public static Charge to(String requirement) {
            return new Charge(requirement, List.of());
        }
    }
}
