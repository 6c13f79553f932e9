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

@DisplayName("Eight threads that do all they may to queue pairs without connections")
@Timeout(value = 1, unit = TimeUnit.DAYS) // it goes on for as long as it is told to, and watches itself
class DatagramTortureTest {
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({"UD, INLINE", "UD, THREADED", "RD, INLINE", "RD, THREADED"})
    @DisplayName("lose nothing, hang nowhere, write nowhere they may not, and leave nothing behind")
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
