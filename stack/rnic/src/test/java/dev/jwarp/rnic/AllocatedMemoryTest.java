package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.SendWorkRequest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RFC 5042 §6.3.2: a peer that reads before the program has written finds no earlier content. */
@DisplayName("Memory that jwarp allocates")
class AllocatedMemoryTest {
    private static final int LENGTH = 4096;
    private static final int TIMES = 64;

    private static void fill(MemoryRegion region, byte with) {
        ByteBuffer memory = region.buffer();
        for (int i = 0; i < LENGTH; i++) {
            memory.put(i, with);
        }
    }

    @Tag("SEC-6.3.2-1")
    @Test
    @DisplayName("reads as zeros, locally and for the peer, even if the same memory had data before")
    void zero() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected pair = Connected.in(world);
            MemoryRegion sink = pair.active.domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < TIMES; i++) {
                MemoryRegion fresh =
                        pair.passive.domain.allocate(LENGTH, AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE);
                fill(sink, (byte) 0x55);
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .rdmaRead(fresh.address(), fresh.rkey())
                        .add(sink, 0, LENGTH));
                pair.active.success();
                byte[] read = new byte[LENGTH];
                sink.buffer().get(0, read);
                assertThat(read).containsOnly(0);
                fresh.buffer().get(0, read);
                assertThat(read).containsOnly(0);
                fill(fresh, (byte) 0x77);
                fresh.close();
            }
        }
    }
}
