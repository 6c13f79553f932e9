package dev.jwarp.tools.ping;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PingReportTest {
    private long now;
    private final PingReport.Rounds rounds = new PingReport.Rounds(() -> now);

    @Test
    @DisplayName("a client ends like ping")
    void clientEndsLikePing() {
        rounds.begin();
        for (long i = 1; i <= 4; i++) {
            now += i * 10_000L;
            rounds.round();
            rounds.took(i * 10_000L);
            rounds.compared(true);
        }

        assertThat(rounds.lines("10.0.0.2"))
                .containsExactly(
                        "--- 10.0.0.2 rping statistics ---",
                        "4 rounds, 4 validated, 0 failed, time 100.0us",
                        "rtt min/avg/p50/p99/max = 10.0/25.0/20.0/40.0/40.0us");
    }

    @Test
    @DisplayName("a run without rounds has nothing to say about time")
    void runWithoutRoundsHasNothingToSayAboutTime() {
        rounds.begin();

        assertThat(rounds.lines("::1"))
                .containsExactly("--- ::1 rping statistics ---", "0 rounds, 0 validated, 0 failed, time 0ns");
        assertThat(rounds.summary("[::1]:7174", 64).rttUs()).isNull();
    }

    @Test
    @DisplayName("a server does not know the round trip")
    void serverDoesNotKnowRoundTrip() {
        rounds.begin();
        now = 5_000_000;
        rounds.round();
        rounds.compared(false);

        assertThat(rounds.lines("10.0.0.1"))
                .containsExactly("--- 10.0.0.1 rping statistics ---", "1 round, 0 validated, 1 failed, time 5.0ms");
    }
}
