package dev.jwarp.transport.udp.seal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.vectors.Vectors;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The vectors of envelope.json")
class EnvelopeVectorsTest {
    private static final long OPENED = 1_799_999_000L;
    private static final long NOW = 1_800_000_000L;
    private static final long ORIGIN = 0x0e11ed0000000005L;
    private static final DatagramAddress SOURCE = DatagramAddress.of(new InetSocketAddress("192.0.2.2", 40_000));
    private static final SealKeys KEYS = SealKeys.parse("keys", """
            7 send hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f any hmac-sha-256
            6 receive hex:00112233445566778899aabbccddeeff 192.0.2.0/24 hmac-sha-256
            5 receive hex:f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff any aes-128-gcm
            """);

    private long clock = OPENED;
    private final PortSeal port = new PortSeal(now -> KEYS, 64, () -> ORIGIN, () -> clock, counter -> {});

    static List<Vectors.Vector> good() {
        return Vectors.envelopes("envelope");
    }

    static List<Vectors.Vector> malformed() {
        return Vectors.envelopes("malformed");
    }

    private @Nullable UdpCounter open(ByteBuffer in) {
        clock = NOW;
        UdpCounter wrong = port.open(in, 0, in.capacity(), SOURCE, false, 0);
        return wrong != null
                ? wrong
                : new DatagramParser().parse(in, Envelope.SHIFT, in.capacity() - Envelope.OVERHEAD, SOURCE);
    }

    @ParameterizedTest
    @MethodSource
    void good(Vectors.Vector vector) {
        ByteBuffer in = ByteBuffer.wrap(vector.octets());
        assertThat(open(in)).isNull();
        byte[] inner = new byte[in.capacity() - Envelope.OVERHEAD];
        in.get(Envelope.SHIFT, inner);
        assertThat(inner).isEqualTo(vector.bytes("inner"));
    }

    static List<Vectors.Vector> greeting() {
        return Vectors.envelopes("greeting");
    }

    @ParameterizedTest
    @MethodSource
    void greeting(Vectors.Vector vector) {
        ByteBuffer in = ByteBuffer.wrap(vector.octets());
        assertThat(open(in)).isEqualTo(UdpCounter.RX_GREETING);
        byte[] numbers = new byte[32];
        in.get(Envelope.ASKS_OFFSET, numbers);
        JsonNode fields = vector.json().path("fields");
        assertThat(HexFormat.of().formatHex(numbers))
                .isEqualTo(fields.path("asks").asText() + fields.path("answers").asText());
    }

    @ParameterizedTest
    @MethodSource
    void malformed(Vectors.Vector vector) {
        vector.json()
                .path("setup")
                .forEach(before -> assertThat(open(ByteBuffer.wrap(Vectors.hex(before.asText()))))
                        .isNull());
        UdpCounter counter = open(ByteBuffer.wrap(vector.octets()));
        assertThat(counter).isNotNull();
        assertThat(counter.label()).isEqualTo(vector.text("counter"));
    }
}
