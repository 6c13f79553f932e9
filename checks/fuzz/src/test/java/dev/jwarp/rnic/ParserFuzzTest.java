package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Arbitrary bytes, parsed as a datagram: checks 1 to 5 of datagram-iWARP §5, and the division of a buffer in which the
 * kernel joined datagrams.
 */
public class ParserFuzzTest {
    private static final DatagramAddress SOURCE = new DatagramAddress().setIpv4(0xC000_0207, 4_000);

    static Stream<Arguments> seeds() {
        return DatagramFuzzTest.VECTORS.stream().map(vector -> Arguments.of((Object) vector));
    }

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] octets) {
        parse(octets);
        if (octets.length >= Crc.LENGTH) { // no fuzzer finds a CRC
            byte[] sealed = octets.clone();
            new Crc().seal(ByteBuffer.wrap(sealed), 0, sealed.length - Crc.LENGTH);
            parse(sealed);
        }
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10m") // the last one, or Jazzer does not find it
    void anyOctets(byte[] octets) {
        fuzzerTestOneInput(octets);
    }

    private static void parse(byte[] octets) {
        ByteBuffer buffer = ByteBuffer.wrap(octets);
        int stated = DatagramLength.stated(buffer, 0, octets.length);
        assertThat(stated).isBetween(Math.min(1, octets.length), octets.length);
        DatagramParser parser = new DatagramParser();
        if (parser.parse(buffer, 0, octets.length, SOURCE) == null) {
            assertThat(parser.datagram().offset() + parser.datagram().length() + Crc.LENGTH)
                    .isEqualTo(octets.length);
            if (parser.kind() != Kind.DATA) {
                assertThat(stated).as("it states its own length").isEqualTo(octets.length);
            }
        }
    }
}
