package dev.jwarp.rdmap;

import static dev.jwarp.base.Transitions.row;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The states of a stream")
class StreamTransitionsTest {
    @Test
    @DisplayName("are drawn in stream.dot")
    void drawing() throws IOException {
        try (InputStream in = StreamTransitionsTest.class.getResourceAsStream("stream.dot")) {
            assertThat(StreamState.TABLE.toDot("stream"))
                    .isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("never change from ERROR")
    void errorIsFinal() {
        for (StreamState.Event event : StreamState.Event.values()) {
            assertThat(StreamState.TABLE.next(StreamState.ERROR, event)).isNull();
        }
    }

    @Test
    @DisplayName("reach RTS only by start-up")
    void onlyStartUpReachesReadyToSend() {
        assertThat(StreamState.TABLE.rows())
                .filteredOn(row -> row.to() == StreamState.RTS)
                .containsExactly(row(StreamState.IDLE, StreamState.Event.ESTABLISHED, StreamState.RTS));
    }
}
