package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Recorded;
import java.util.List;

/**
 * The end of one case.
 *
 * @param test the case
 * @param verdict how it ended
 * @param expected of a failed case: what should have come
 * @param actual of a failed case: what came; else why it was skipped or inconclusive; may be empty
 * @param excluded the reason why a failure is known and not counted; empty if it is not excluded
 * @param nanos how long it took
 * @param wires its conversations, with what was said on them
 */
public record Result(
        TestCase test,
        Verdict verdict,
        String expected,
        String actual,
        String excluded,
        long nanos,
        List<Recorded> wires) {

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
}
