package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Segment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A request counts as held exactly while it is outstanding:")
class ReadJudgeTest {
    private final Budget budget = new Budget(1 << 20);
    private final ReadJudge judge = new ReadJudge(budget);
    private final Breaches breaches = new Breaches();

    private void ask(int msn) {
        judge.asked(Segment.readRequest(msn, 9, 0x1000, 4, 3, 0), false, breaches);
    }

    @Test
    @DisplayName("until its response")
    void answered() {
        ask(1);
        long one = budget.held();
        ask(2);
        assertThat(budget.held()).isEqualTo(2 * one).isPositive();

        judge.answered(Segment.readResponse(9, 0x1000, new byte[4]), true, breaches);
        assertThat(budget.held()).isEqualTo(one);
        judge.answered(Segment.readResponse(9, 0x1000, new byte[4]), true, breaches);

        assertThat(budget.held()).isZero();
        assertThat(breaches.list()).isEmpty();
    }

    @Test
    @DisplayName("or until bytes are missing")
    void missed() {
        ask(1);
        ask(2);
        judge.lost();

        assertThat(budget.held()).isZero();
    }
}
