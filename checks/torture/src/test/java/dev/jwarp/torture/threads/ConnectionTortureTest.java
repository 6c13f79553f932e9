package dev.jwarp.torture.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.torture.Choices;
import dev.jwarp.verbs.Progress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Eight threads that make every legal call on connections")
@Timeout(value = 1, unit = TimeUnit.DAYS) // the run has a duration and watches itself
class ConnectionTortureTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("lose no request, do not hang, write no deregistered memory, and leave no object")
    void torture(Progress progress) {
        Choices.seeded(getClass(), seed -> {
            try (Complaints complaints = Complaints.listen();
                    ConnectionTorture torture = new ConnectionTorture(progress, seed)) {
                assertThat(torture.run(Choices.duration())).contains("requests");
                complaints.none();
            }
        });
    }
}
