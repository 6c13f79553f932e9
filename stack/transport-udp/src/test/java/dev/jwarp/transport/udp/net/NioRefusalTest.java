package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A refusal of java.nio, in whatever language,")
class NioRefusalTest {
    private static final NioRefusal GERMAN = new NioRefusal("Nachricht ist zu lang");

    static Stream<Arguments> german() {
        return Stream.of(
                Arguments.of(new SocketException("Nachricht ist zu lang"), SendRefusal.NEVER),
                Arguments.of(new IOException("?", new UnsupportedAddressTypeException()), SendRefusal.NEVER),
                Arguments.of(new SocketException("Die Operation ist nicht erlaubt"), SendRefusal.LOST),
                Arguments.of(new SocketException("Das Netzwerk ist nicht erreichbar"), SendRefusal.LOST),
                Arguments.of(new NoRouteToHostException("Keine Route zum Zielrechner vorhanden"), SendRefusal.LOST),
                Arguments.of(new BindException("Keine Berechtigung"), SendRefusal.LOST),
                Arguments.of(new SocketException(), SendRefusal.LOST));
    }

    @ParameterizedTest
    @MethodSource("german")
    @DisplayName("is classified as in English:")
    void send(IOException cause, SendRefusal refusal) {
        assertThat(GERMAN.ofSend(cause)).isEqualTo(refusal);
    }

    @Test
    @DisplayName("for length is recognized by the system's own message")
    void thisSystem() {
        assertThat(NioRefusal.ofThisSystem().tooLong()).isNotBlank();
    }

    @Test
    @DisplayName("of an address distinguishes one in use from one of another host")
    void bind() throws IOException {
        BindException german = new BindException("Die Adresse wird bereits verwendet");
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();
            assertThat(NioRefusal.ofPort(address, german)).isEqualTo(LlpFailure.ADDRESS_IN_USE);
        }
        InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 7174);
        assertThat(NioRefusal.ofPort(foreign, german)).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(NioRefusal.ofGroup(foreign, german)).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(NioRefusal.ofPort(foreign, new SocketException("Zu viele offene Dateien")))
                .isEqualTo(LlpFailure.LIMIT_REACHED);
        assertThat(NioRefusal.ofGroup(foreign, new SocketException("Kein passendes Gerät gefunden")))
                .isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
    }
}
