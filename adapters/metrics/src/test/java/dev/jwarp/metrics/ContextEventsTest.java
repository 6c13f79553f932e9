package dev.jwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Counters as events of Flight Recorder")
class ContextEventsTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("come once for each change, with value and difference")
    void changes() throws Exception {
        try (Context context = Ends.open();
                ContextEvents events = new ContextEvents(context);
                Recording recording = new Recording()) {
            recording.enable("jwarp.Counter").with("period", "endChunk");
            recording.start();
            Ends.connectOnce(context);
            recording.stop();

            assertThat(established(recording)).singleElement().satisfies(event -> {
                assertThat(event.getString("device")).isEqualTo("jwarp0");
                assertThat(event.getLong("value")).isEqualTo(2);
                assertThat(event.getLong("change")).isEqualTo(2);
            });
        }
    }

    @Test
    @DisplayName("end when the context's events are closed")
    void closed() throws Exception {
        try (Context context = Ends.open();
                Recording recording = new Recording()) {
            ContextEvents events = new ContextEvents(context);
            recording.enable("jwarp.Counter").withPeriod(Duration.ofDays(1)).with("period", "endChunk");
            recording.start();
            Ends.connectOnce(context);
            events.close();
            events.close();
            recording.stop();

            assertThat(established(recording)).isEmpty();
        }
    }

    private List<RecordedEvent> established(Recording recording) throws Exception {
        Path file = folder.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("jwarp.Counter"))
                .filter(event -> event.getString("counter").equals("connections_established"))
                .toList();
    }
}
