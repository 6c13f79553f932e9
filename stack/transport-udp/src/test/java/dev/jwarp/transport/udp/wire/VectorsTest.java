package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The vectors of datagram-iWARP")
class VectorsTest {
    private static final int LAST_CHECK_OF_THE_PARSER = 5;
    private static final int LAST_CHECK_OF_THE_TRANSPORT = 10;

    private final DatagramParser parser = new DatagramParser();

    static List<Vector> good() {
        return Vectors.datagrams(false);
    }

    static List<Vector> malformed() {
        return Vectors.datagrams(true);
    }

    static Stream<Vector> answers() {
        return malformed().stream().filter(vector -> vector.json().has("answer"));
    }

    /** {@return the source of a vector, or the default source} */
    static DatagramAddress source(Vector vector) {
        String host = vector.json().path("source_address").asText("192.0.2.2");
        int port = vector.json().path("source_port").asInt(40_000);
        return DatagramAddress.of(new InetSocketAddress(host, port));
    }

    private @Nullable UdpCounter parse(Vector vector, byte[] octets) {
        return parser.parse(ByteBuffer.wrap(octets), 0, octets.length, source(vector));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("good")
    @DisplayName("are parsed to their fields")
    void good(Vector vector) {
        byte[] octets = vector.octets();
        assertThat(parse(vector, octets)).isNull();
        assertThat(parser.kind().name()).isEqualTo(vector.json().path("kind").asText());
        assertThat(Fields.of(parser, octets)).isEqualTo(vector.json().path("fields"));
    }

    @Tag("DG-5.1-2")
    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    @DisplayName("fail the named check, and pass the checks before")
    void malformed(Vector vector) {
        int check = vector.json().path("check").asInt();
        String counter = vector.json().path("counter").asText();
        UdpCounter wrong = parse(vector, vector.octets());
        // A VERSION LIST is well formed; the engine knows whether it is solicited.
        boolean parsers = check <= LAST_CHECK_OF_THE_PARSER && !vector.id().equals("BAD-VERSION-LIST");
        assertThat(wrong == null ? "none" : wrong.label()).isEqualTo(parsers ? counter : "none");
        if (check <= LAST_CHECK_OF_THE_TRANSPORT) {
            assertThat(Arrays.stream(UdpCounter.values()).map(UdpCounter::label))
                    .contains(counter);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    @DisplayName("get answers that are well formed and not longer")
    void answered(Vector vector) {
        byte[] answer = vector.bytes("answer");
        assertThat(parse(vector, answer)).isNull();
        assertThat(parser.shim().reply()).isTrue();
        assertThat(answer.length).isLessThanOrEqualTo(vector.octets().length);
    }

    @Test
    @DisplayName("cover every Kind, and every check of section 5 but the last, which no datagram fails")
    void complete() {
        assertThat(good().stream().map(v -> v.json().path("kind").asText()).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Kind.values()).map(Kind::name).toList());
        assertThat(malformed().stream().map(v -> v.json().path("check").asInt()).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, 19).boxed().toList());
    }
}
