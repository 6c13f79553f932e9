package dev.jwarp.torture.reset;

import dev.jwarp.torture.Choices;
import dev.jwarp.verbs.Progress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Peers that reset connections while one thread posts and another polls")
@Timeout(value = 1, unit = TimeUnit.DAYS) // the run has a length and watches itself
class ResetTest {
    /** For 100,000: {@code -Dtorture.resets=100000}. */
    private static final int RESETS = Integer.getInteger("torture.resets", 100);

    private static final int MESSAGES = 20_000;

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "leave the completion queue intact: each request completes once, and a new connection delivers all messages")
    void exactlyOnce(Progress progress) {
        Choices.seeded(getClass(), seed -> {
            try (Resets resets = new Resets(progress, seed)) {
                resets.run(RESETS, MESSAGES);
            }
        });
    }
}
