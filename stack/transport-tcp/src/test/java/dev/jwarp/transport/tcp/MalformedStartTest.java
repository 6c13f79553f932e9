package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A malformed start-up frame has exactly the result of its vector")
class MalformedStartTest {
    private final RecordingHandler handler = new RecordingHandler();
    private final RecordingUpper upper = new RecordingUpper();

    static Stream<Vector> forResponder() {
        return vectors("responder");
    }

    static Stream<Vector> forInitiator() {
        return vectors("initiator");
    }

    private static Stream<Vector> vectors(String receiver) {
        return Vectors.ofKind("malformed-mpa").stream()
                .filter(v -> v.text("receiver").equals(receiver));
    }

    @Test
    @DisplayName("there are ten for a responder, eleven for an initiator")
    void counts() {
        assertThat(forResponder()).hasSize(10);
        assertThat(forInitiator()).hasSize(11);
    }

    @ParameterizedTest
    @MethodSource("forResponder")
    @DisplayName("as responder, in one piece")
    void responder(Vector vector) {
        TestDriver driver = TestDriver.responder(TestDriver.factory(), handler);
        driver.feed(vector.octets());
        checkResponder(vector, driver);
    }

    @ParameterizedTest
    @MethodSource("forResponder")
    @DisplayName("as responder, byte by byte")
    void responderOctetwise(Vector vector) {
        TestDriver driver = TestDriver.responder(TestDriver.factory(), handler);
        for (byte octet : vector.octets()) {
            driver.feed(new byte[] {octet});
        }
        checkResponder(vector, driver);
    }

    private void checkResponder(Vector vector, TestDriver driver) {
        if (vector.text("then").equals("FIN")) {
            driver.fin();
        }
        if (vector.json().path("expect").path("after").asText().equals("startup timeout")) {
            assertThat(driver.ending()).isEqualTo(Ending.OPEN);
            driver.advance(4_999);
            assertThat(driver.ending()).isEqualTo(Ending.OPEN);
            driver.advance(1);
            assertThat(handler.events).containsExactly("failed TIMED_OUT");
        } else {
            // A Request is valid until its extra octets arrive.
            assertThat(handler.events.get(handler.events.size() - 1)).isEqualTo("failed BAD_START_FRAME");
        }
        assertThat(vector.json().path("expect").path("action").asText()).isEqualTo("close");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(driver.takeHex()).isEmpty();
        assertThat(upper.events).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("forInitiator")
    @DisplayName("as initiator, in one piece")
    void initiator(Vector vector) {
        TestDriver driver = initiatorThatSent(vector.text("sent"));
        driver.feed(vector.octets());
        checkInitiator(vector, driver);
    }

    @ParameterizedTest
    @MethodSource("forInitiator")
    @DisplayName("as initiator, byte by byte")
    void initiatorOctetwise(Vector vector) {
        TestDriver driver = initiatorThatSent(vector.text("sent"));
        for (byte octet : vector.octets()) {
            driver.feed(new byte[] {octet});
        }
        checkInitiator(vector, driver);
    }

    private TestDriver initiatorThatSent(String sent) {
        List<String> settings =
                switch (sent.split(" ", 2)[0]) {
                    case "MPA-REQ1-PLAIN" -> List.of("jwarp.mpa.revision", "1");
                    case "MPA-REQ2-P2P-BCD" ->
                        List.of("jwarp.mpa.peer-to-peer", "on", "jwarp.mpa.rtr", "write,read,send");
                    case "MPA" -> List.of("jwarp.mpa.peer-to-peer", "on", "jwarp.mpa.rtr", "write");
                    default -> List.of();
                };
        StartParameters offer = sent.contains("A=1") || sent.contains("P2P")
                ? new StartParameters(16, 16, new byte[0])
                : new StartParameters(8, 4, new byte[0]);
        TestDriver driver =
                TestDriver.initiator(TestDriver.factory(settings.toArray(String[]::new)), offer, upper, handler);
        String request = driver.takeHex();
        if (sent.startsWith("MPA-")) {
            assertThat(request).isEqualTo(Vectors.byId(sent.split(" ", 2)[0]).text("hex"));
        }
        return driver;
    }

    private void checkInitiator(Vector vector, TestDriver driver) {
        JsonNode expect = vector.json().path("expect");
        switch (expect.path("action").asText()) {
            case "close" -> {
                assertThat(handler.events).containsExactly("failed BAD_START_FRAME");
                assertThat(driver.takeHex()).isEmpty();
                assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
            }
            case "terminate" -> {
                assertThat(handler.events).containsExactly("failed NO_AGREEMENT");
                assertThat(driver.factory.counters().get(TcpCounter.NO_AGREEMENT))
                        .isEqualTo(1);
                assertThat(driver.takeHex())
                        .isEqualTo(expect.path("terminate_fpdu").asText());
                // Only our direction is closed until the peer follows, so that the Terminate arrives.
                assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
                driver.fin();
                assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
            }
            case "leave MPA" -> {
                assertThat(handler.events).containsExactly("rejected ird=-1 ord=-1 ''");
                assertThat(driver.takeHex()).isEmpty();
                assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
            }
            default -> throw new AssertionError(vector);
        }
        assertThat(upper.events).isEmpty();
    }
}
