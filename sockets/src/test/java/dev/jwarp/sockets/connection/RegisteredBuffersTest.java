package dev.jwarp.sockets.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Buffers that come again")
class RegisteredBuffersTest {
    private final Context context = RdmaProvider.load().devices().get(0).open(Progress.INLINE, Map.of());
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final RegisteredBuffers buffers = new RegisteredBuffers(domain);

    @AfterEach
    void nothingIsLeft() {
        buffers.close();
        domain.close(); // refuses as long as there is memory in it
        context.close();
    }

    @Test
    @DisplayName("are registered the second time, whole, and stay so")
    void again() {
        ByteBuffer one = ByteBuffer.allocateDirect(100);
        assertThat(buffers.find(one.position(10))).isNull();
        MemoryRegion region = buffers.find(one.position(20).limit(50));
        assertThat(region).isNotNull();
        assertThat(region.length()).isEqualTo(100);
        assertThat(buffers.find(one)).isSameAs(region);
    }

    @Test
    @DisplayName("are no more when so many others have come again")
    void others() {
        ByteBuffer one = ByteBuffer.allocateDirect(100);
        buffers.find(one);
        MemoryRegion first = buffers.find(one);
        for (int i = 0; i < RegisteredBuffers.MOST; i++) {
            ByteBuffer other = ByteBuffer.allocateDirect(100);
            assertThat(buffers.find(other)).isNull();
            assertThat(buffers.find(other)).isNotNull();
        }
        assertThat(buffers.find(one)).isNull();
        assertThat(buffers.find(one)).isNotNull().isNotSameAs(first);
    }

    @Test
    @DisplayName("are no more when much larger ones have come again, and never if one is too large itself")
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
        MemoryRegion again = buffers.find(one);
        assertThat(again).as("its place was taken, and it comes again").isNotNull();
        assertThat(buffers.find(one)).isSameAs(again);
    }
}
