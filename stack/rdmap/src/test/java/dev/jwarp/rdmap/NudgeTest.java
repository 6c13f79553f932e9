package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.ReadyToReceive;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("The initiator, while the peer is silent (RFC 5044 §7.1.2 (4), RFC 6581 §9.2)")
class NudgeTest {
    private static final long NUDGE = StreamSettings.NUDGE_NANOS;

    private static Pair pair(Nudge nudge, boolean writeAwaited, ReadyToReceive readyToReceive) {
        StreamSettings settings = new StreamSettings(true, 4, 10_000_000_000L, nudge, 0);
        Station a = new Station(settings, 64, 1);
        Station b = new Station();
        a.stream.onEstablished(a.lower, new LlpAgreement(true, 1, 1, readyToReceive, writeAwaited), 0);
        b.establish(false, 1, 1, readyToReceive);
        return new Pair(a, b);
    }

    /** Counts the empty Writes sent at the time of the nudge and long afterwards. */
    private static long nudges(Pair pair) {
        long before = pair.a.counters.get(RdmapCounter.NUDGES_SENT);
        pair.a.stream.onTimeout(NUDGE - 1);
        pair.run(NUDGE - 1);
        assertThat(pair.a.counters.get(RdmapCounter.NUDGES_SENT))
                .as("too early")
                .isEqualTo(before);
        for (long now = NUDGE; now < 20 * NUDGE; now += NUDGE) {
            pair.a.stream.onTimeout(now);
            pair.run(now);
        }
        assertThat(pair.a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(pair.b.failure).isNull();
        return pair.a.counters.get(RdmapCounter.NUDGES_SENT);
    }

    @Nested
    @DisplayName("by default")
    class Auto {
        @Test
        @DisplayName("sends one empty Write, without a completion, to a peer whose Reply asks for it")
        void peerThatAsks() {
            Pair pair = pair(Nudge.AUTO, true, ReadyToReceive.NONE);
            assertThat(pair.a.stream.nextTimeout()).isEqualTo(NUDGE);
            pair.b.send(1, pair.b.region(16), 0, 16); // waits until it has received something
            pair.a.stream.onTimeout(NUDGE);
            assertThat(pair.a.lower.pollAll(pair.a.stream, NUDGE)).isEqualTo(1);
            assertThat(pair.a.completions).isEmpty();
        }

        @Test
        @DisplayName("never sends a second one")
        void neverTwice() {
            assertThat(nudges(pair(Nudge.AUTO, true, ReadyToReceive.NONE))).isEqualTo(1);
        }

        @Test
        @DisplayName("sends nothing to a peer whose Reply does not ask for it, however long it is silent")
        void peerThatDoesNotAsk() {
            Pair pair = pair(Nudge.AUTO, false, ReadyToReceive.NONE);
            assertThat(pair.a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
            assertThat(nudges(pair)).isZero();
        }

        @Test
        @DisplayName("sends none after a message of its program")
        void behindAMessage() {
            Pair pair = pair(Nudge.AUTO, true, ReadyToReceive.NONE);
            pair.b.postReceive(1, pair.b.region(16), 0, 16);
            pair.a.send(2, pair.a.region(16), 0, 16);
            pair.run();
            assertThat(nudges(pair)).isZero();
        }

        @Test
        @DisplayName("sends none before a message that waits for the network")
        void inFrontOfAMessage() {
            Pair pair = pair(Nudge.AUTO, true, ReadyToReceive.NONE);
            pair.b.postReceive(1, pair.b.region(16), 0, 16);
            pair.a.send(2, pair.a.region(16), 0, 16);
            assertThat(nudges(pair)).isZero();
        }

        @Test
        @DisplayName("sends none after it has received a message")
        void received() {
            Pair pair = pair(Nudge.AUTO, true, ReadyToReceive.NONE);
            pair.a.postReceive(1, pair.a.region(16), 0, 16);
            pair.b.send(2, pair.b.region(16), 0, 16);
            pair.run();
            assertThat(nudges(pair)).isZero();
        }
    }

    @Nested
    @DisplayName("when it is on")
    class On {
        @Test
        @DisplayName("sends one empty Write to any peer, even after messages that the peer may have overlooked")
        void behindMessages() {
            Pair pair = pair(Nudge.ON, false, ReadyToReceive.NONE);
            pair.b.postReceive(1, pair.b.region(16), 0, 16);
            pair.a.send(2, pair.a.region(16), 0, 16);
            pair.run();
            assertThat(nudges(pair)).isEqualTo(1);
        }

        @Test
        @DisplayName("does not replace the ready to receive message")
        void readyToReceiveMessageIsNotReplaced() {
            Pair pair = pair(Nudge.ON, false, ReadyToReceive.READ);
            pair.a.stream.onTimeout(NUDGE); // before the first could be sent
            pair.run(NUDGE);

            assertThat(pair.b.counters.get(RdmapCounter.ERRORS_FOUND)).isZero();
            assertThat(pair.a.stream.pollUlpdu(pair.a.lower, NUDGE)).isFalse();
        }
    }

    @Test
    @DisplayName("when it is off, sends nothing to a peer that asks")
    void off() {
        assertThat(nudges(pair(Nudge.OFF, true, ReadyToReceive.NONE))).isZero();
    }

    @Test
    @DisplayName("a responder never sends one")
    void responderNeverDoes() {
        StreamSettings settings = new StreamSettings(true, 4, 10_000_000_000L, Nudge.ON, 0);
        Station b = new Station(settings, 64, 1).establish(false, 1, 1, ReadyToReceive.NONE);
        assertThat(b.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }
}
