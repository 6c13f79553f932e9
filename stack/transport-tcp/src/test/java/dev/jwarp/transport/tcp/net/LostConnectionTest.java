package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A read of java.nio that fails")
class LostConnectionTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection timed out",
                "No route to host",
                "Die Wartezeit für die Verbindung ist abgelaufen",
                "接続がタイムアウトしました",
                ""
            })
    @DisplayName("with a plain error of the system means that the peer does not answer, in any language")
    void timedOut(String words) {
        assertThat(LostConnection.timedOut(new IOException(words))).isTrue();
    }

    static Stream<IOException> others() {
        return Stream.of(
                new SocketException("Connection reset"),
                new SocketException("Connection timed out"),
                new ClosedChannelException(),
                new AsynchronousCloseException(),
                new ClosedByInterruptException());
    }

    @ParameterizedTest
    @MethodSource("others")
    @DisplayName("with a more specific class means another cause, with any message:")
    void others(IOException cause) {
        assertThat(LostConnection.timedOut(cause)).isFalse();
    }
}
