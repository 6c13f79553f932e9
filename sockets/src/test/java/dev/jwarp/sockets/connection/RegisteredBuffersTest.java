package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.jwarp.base.Tally;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Buffers that are used repeatedly")
class RegisteredBuffersTest {
    private final Context context = RdmaProvider.load().devices().get(0).open(Progress.INLINE, Map.of());
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final Tally<RegisteredBuffers.Counter> counts = new Tally<>(RegisteredBuffers.Counter.class);
    private final RegisteredBuffers buffers = new RegisteredBuffers(domain, counts);

    @AfterEach
    void nothingIsLeft() {
        buffers.close();
        domain.close(); // throws while memory is registered in it
        context.close();
    }

    @Test
    @DisplayName("are registered completely at the second use, and stay registered")
    void again() {
        ByteBuffer one = ByteBuffer.allocateDirect(100);
        assertThat(buffers.find(one.position(10))).isNull();
        RegisteredBuffers.RegisteredBuffer known = buffers.find(one.position(20).limit(50));
        assertThat(known).isNotNull();
        assertThat(known.region().length()).isEqualTo(100);
        assertThat(buffers.find(one)).isSameAs(known);
        assertCounted(1, 1, 1);
    }

    private void assertCounted(long known, long registered, long unknown) {
        assertThat(counts.get(RegisteredBuffers.Counter.BUFFERS_KNOWN)).isEqualTo(known);
        assertThat(counts.get(RegisteredBuffers.Counter.BUFFERS_REGISTERED)).isEqualTo(registered);
        assertThat(counts.get(RegisteredBuffers.Counter.BUFFERS_UNKNOWN)).isEqualTo(unknown);
    }

    @Test
    @DisplayName("are recognized by their slices and duplicates, with the offset; adjacent buffers are not")
    void views() {
        assumeThat(DirectAddress.of(ByteBuffer.allocateDirect(1)))
                .as("Java before 22, and sun.nio.ch is not exported")
                .isNotEqualTo(DirectAddress.UNKNOWN);
        ByteBuffer memory = ByteBuffer.allocateDirect(300);
        ByteBuffer one = memory.slice(100, 100);
        buffers.find(one);
        RegisteredBuffers.RegisteredBuffer known = buffers.find(one.slice());
        assertThat(known).as("the same memory was used before").isNotNull();
        assertThat(buffers.find(one.duplicate().position(7))).isSameAs(known);
        assertThat(buffers.find(memory.slice(100, 40))).isSameAs(known);
        ByteBuffer part = memory.slice(130, 70).position(3).limit(60);
        assertThat(buffers.find(part)).isSameAs(known);
        assertThat(known.at(part).position()).isEqualTo(33);
        assertThat(known.at(part).limit()).isEqualTo(90);
        assertThat(known.at(part)).isEqualTo(part);
        assertCounted(3, 1, 1);
        for (ByteBuffer other : new ByteBuffer[] {memory.slice(99, 50), memory.slice(150, 51), memory}) {
            assertThat(buffers.find(other)).isNull();
        }
        assertCounted(3, 1, 4);
    }

    @Test
    @DisplayName("are displaced by other repeatedly used buffers")
    void others() {
        ByteBuffer one = ByteBuffer.allocateDirect(100);
        buffers.find(one);
        RegisteredBuffers.RegisteredBuffer first = buffers.find(one);
        for (int i = 0; i < RegisteredBuffers.MOST; i++) {
            ByteBuffer other = ByteBuffer.allocateDirect(100);
            assertThat(buffers.find(other)).isNull();
            assertThat(buffers.find(other)).isNotNull();
        }
        assertThat(buffers.find(one)).isNull();
        assertThat(buffers.find(one)).isNotNull().isNotSameAs(first);
    }

    @Test
    @DisplayName("are displaced by larger buffers, and never registered if too large")
    void large() {
        ByteBuffer one = ByteBuffer.allocateDirect(1 << 25);
        ByteBuffer two = ByteBuffer.allocateDirect(1 << 26);
        ByteBuffer three = ByteBuffer.allocateDirect((1 << 26) + 1);
        for (ByteBuffer buffer : new ByteBuffer[] {one, two}) {
            assertThat(buffers.find(buffer)).isNull();
            assertThat(buffers.find(buffer)).isNotNull();
        }
        assertThat(buffers.find(three)).isNull();
        assertThat(buffers.find(three)).isNull();
        RegisteredBuffers.RegisteredBuffer again = buffers.find(one);
        assertThat(again).as("a displaced buffer that is used again").isNotNull();
        assertThat(buffers.find(one)).isSameAs(again);
    }
}
