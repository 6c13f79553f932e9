package dev.jwarp.torture.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.torture.Choices;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Eight threads that make every legal call on queue pairs without connections")
@Timeout(value = 1, unit = TimeUnit.DAYS) // the run has a duration and watches itself
class DatagramTortureTest {
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({"UD, INLINE", "UD, THREADED", "RD, INLINE", "RD, THREADED"})
    @DisplayName("lose no request, do not hang, write no deregistered memory, and leave no object")
    void torture(QueuePairType type, Progress progress) {
        Choices.seeded(getClass(), seed -> {
            try (Complaints complaints = Complaints.listen();
                    DatagramTorture torture = new DatagramTorture(type, progress, seed)) {
                assertThat(torture.run(Choices.duration())).contains("requests");
                complaints.none();
            }
        });
    }
}
