package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A message of java.nio, in any language,")
class NioFailureTest {
    private static final NioFailure GERMAN =
            new NioFailure("Verbindungsaufbau abgelehnt", "Das Netzwerk ist nicht erreichbar");

    static Stream<Arguments> german() {
        return Stream.of(
                Arguments.of(new ConnectException("Verbindungsaufbau abgelehnt"), LlpFailure.REFUSED),
                Arguments.of(
                        new ConnectException("Verbindungsaufbau abgelehnt: localhost/127.0.0.1:7174"),
                        LlpFailure.REFUSED),
                Arguments.of(
                        new ConnectException("Die Wartezeit für die Verbindung ist abgelaufen"), LlpFailure.TIMED_OUT),
                Arguments.of(
                        new NoRouteToHostException("Keine Route zum Zielrechner vorhanden"), LlpFailure.UNREACHABLE),
                Arguments.of(new SocketException("Das Netzwerk ist nicht erreichbar"), LlpFailure.UNREACHABLE),
                Arguments.of(
                        new SocketException("Die Verbindung wurde vom Kommunikationspartner zurückgesetzt"),
                        LlpFailure.CLOSED_BY_PEER),
                Arguments.of(
                        new BindException("Die angeforderte Adresse kann nicht zugewiesen werden"),
                        LlpFailure.ADDRESS_NOT_AVAILABLE),
                Arguments.of(new IOException("Eingabe-/Ausgabefehler"), LlpFailure.LOCAL));
    }

    @ParameterizedTest
    @MethodSource("german")
    @DisplayName("means what it means in English:")
    void connect(Exception cause, LlpFailure failure) {
        assertThat(GERMAN.ofConnect(null, cause)).isEqualTo(failure);
    }

    @Test
    @DisplayName("means a refusal if its words are unknown, because that is the more frequent case")
    void unknownWords() {
        assertThat(new NioFailure(null, null).ofConnect(null, new ConnectException("?")))
                .isEqualTo(LlpFailure.REFUSED);
    }

    @Test
    @DisplayName("is known for this system, because the errors are provoked to learn its words")
    void thisSystem() {
        assertThat(NioFailure.ofThisSystem().refused()).isNotBlank();
        assertThat(NioFailure.ofThisSystem().unreachable())
                .isNotEqualTo(NioFailure.ofThisSystem().refused());
    }

    @Test
    @DisplayName("of an address shows whether the address is in use, or not of this host")
    void bind() throws IOException {
        BindException german = new BindException("Die Adresse wird bereits verwendet");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();
            assertThat(NioFailure.ofBind(address, german)).isEqualTo(LlpFailure.ADDRESS_IN_USE);
            assertThat(GERMAN.ofConnect(address, german)).isEqualTo(LlpFailure.ADDRESS_IN_USE);
        }
        InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 7174);
        assertThat(NioFailure.ofBind(foreign, german)).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(GERMAN.ofConnect(foreign, german)).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(NioFailure.ofBind(foreign, new UnsupportedAddressTypeException()))
                .isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(NioFailure.ofBind(foreign, new SocketException("Zu viele offene Dateien")))
                .isEqualTo(LlpFailure.LIMIT_REACHED);
        assertThat(NioFailure.ofBind(foreign, new IllegalStateException())).isEqualTo(LlpFailure.LOCAL);
    }
}
