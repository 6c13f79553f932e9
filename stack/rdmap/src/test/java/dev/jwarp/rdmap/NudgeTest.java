package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.ReadyToReceive;
import org.junit.jupiter.api.Test;

/** The side that connected does not wait for ever for a responder that may not speak first, or overlooked our first FPDU. */
class NudgeTest {
    private static final long NUDGE = StreamSettings.DEFAULT.nudgeNanos();

    @Test
    void an_initiator_that_hears_nothing_sends_one_empty_write_that_nobody_hears_of() {
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
    void one_that_heard_something_does_not() {
        Pair pair = Pair.connected(1);
        pair.a.postReceive(1, pair.a.region(16), 0, 16);
        pair.b.send(2, pair.b.region(16), 0, 16);
        pair.run();

        assertThat(pair.a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_responder_never_does() {
        assertThat(Pair.connected(1).b.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void the_ready_to_receive_message_is_not_replaced() {
        Pair pair = Pair.connected(new Station(), new Station(), 1, 1, ReadyToReceive.READ);
        pair.a.stream.onTimeout(NUDGE); // before the first could be sent
        pair.run(NUDGE);

        assertThat(pair.b.counters.get(RdmapCounter.ERRORS_FOUND)).isZero();
        assertThat(pair.a.stream.pollUlpdu(pair.a.lower, NUDGE)).isFalse();
    }
}
