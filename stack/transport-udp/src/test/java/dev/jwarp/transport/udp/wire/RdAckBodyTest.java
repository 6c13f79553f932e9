package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("The words of an RD-ACK")
class RdAckBodyTest {
    @Tag("DG-4.4-6")
    @Property
    @Label("have the bits of the PSNs behind Ack that have arrived, also at the wrap-around, and no others")
    void has(@ForAll int ack, @ForAll @Size(max = 40) Set<@IntRange(min = 1, max = 1024) Integer> ahead) {
        RdAckBody body = new RdAckBody();
        body.wrap(ByteBuffer.allocate(RdAckBody.length(RdAckBody.MAXIMUM_WORDS)), 0);
        int words = (ahead.stream().mapToInt(Integer::intValue).max().orElse(0) + 63) / 64;
        body.set(ack, 1, false, words);
        for (int distance : ahead) {
            int bit = distance - 1;
            body.word(bit / 64, body.word(bit / 64) | 1L << (63 - bit % 64));
        }
        for (int distance = -5; distance <= RdAckBody.MAXIMUM_PSNS + 5; distance++) {
            assertThat(body.has(ack + distance)).as("Ack + %d", distance).isEqualTo(ahead.contains(distance));
        }
    }
}
