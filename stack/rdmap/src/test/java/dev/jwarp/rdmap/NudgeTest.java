package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.ReadyToReceive;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The side that connected does not wait for ever for a responder that may not speak first, or overlooked our first FPDU. */
class NudgeTest {
    private static final long NUDGE = StreamSettings.DEFAULT.nudgeNanos();

    @Test
    @DisplayName("an initiator that receives nothing sends one empty Write, without a completion")
    void initiatorThatReceivesNothingSends() {
        Pair pair = Pair.connected(1);
        assertThat(pair.a.stream.nextTimeout()).isEqualTo(NUDGE);

        pair.a.stream.onTimeout(NUDGE - 1);
        pair.run(NUDGE - 1);
        assertThat(pair.a.counters.get(RdmapCounter.NUDGES_SENT)).isZero();

        pair.a.stream.onTimeout(NUDGE);
        assertThat(pair.a.lower.pollAll(pair.a.stream, NUDGE)).isEqualTo(1);
        pair.run(NUDGE);

        assertThat(pair.a.counters.get(RdmapCounter.NUDGES_SENT)).isEqualTo(1);
        assertThat(pair.a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(pair.a.completions).isEmpty();
        assertThat(pair.b.completions).isEmpty();
        assertThat(pair.b.failure).isNull();
    }

    @Test
    @DisplayName("one that received something does not")
    void oneThatReceivedSomethingDoesNot() {
        Pair pair = Pair.connected(1);
        pair.a.postReceive(1, pair.a.region(16), 0, 16);
        pair.b.send(2, pair.b.region(16), 0, 16);
        pair.run();

        assertThat(pair.a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("a responder never does")
    void responderNeverDoes() {
        assertThat(Pair.connected(1).b.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("the ready to receive message is not replaced")
    void readyToReceiveMessageIsNotReplaced() {
        Pair pair = Pair.connected(new Station(), new Station(), 1, 1, ReadyToReceive.READ);
        pair.a.stream.onTimeout(NUDGE); // before the first could be sent
        pair.run(NUDGE);

        assertThat(pair.b.counters.get(RdmapCounter.ERRORS_FOUND)).isZero();
        assertThat(pair.a.stream.pollUlpdu(pair.a.lower, NUDGE)).isFalse();
    }
}
