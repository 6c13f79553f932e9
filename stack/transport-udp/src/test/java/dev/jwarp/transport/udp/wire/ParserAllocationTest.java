package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.Allocated;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Reading and writing datagrams allocates nothing in steady state")
class ParserAllocationTest {
    private static final int ROUNDS = 500;

    private final DatagramParser parser = new DatagramParser();
    private final DatagramAddress source = Samples.source();
    private final Crc crc = new Crc();
    private final Shim shim = new Shim();
    private final RdExtension channel = new RdExtension();
    private int passed;

    @Test
    @DisplayName("of every Kind, legal or malformed")
    void nothing() {
        ByteBuffer[] vectors = Stream.concat(Vectors.datagrams(false).stream(), Vectors.datagrams(true).stream())
                .map(vector -> {
                    byte[] octets = vector.octets();
                    return ByteBuffer.allocateDirect(octets.length).put(0, octets);
                })
                .toArray(ByteBuffer[]::new);
        round(vectors);
        round(vectors);
        long least = Allocated.least(5, ROUNDS - 1, () -> {
            for (int i = 0; i < ROUNDS; i++) {
                round(vectors);
            }
        });
        assertThat(least).as("bytes in %d rounds", ROUNDS).isLessThan(ROUNDS);
        assertThat(passed).isPositive();
    }

    private void round(ByteBuffer[] datagrams) {
        for (ByteBuffer datagram : datagrams) {
            int length = datagram.capacity();
            if (DatagramLength.stated(datagram, 0, length) == length
                    && parser.parse(datagram, 0, length, source) == null) {
                passed++;
                shim.addressed(
                        parser.shim().destinationQpn(),
                        parser.shim().sourceQpn(),
                        parser.channel().psn());
                channel.wrap(datagram, ShimHeader.LENGTH);
                crc.seal(datagram, 0, length - Crc.LENGTH);
            }
        }
    }
}
