package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Atomics on eight octets (RFC 7306 §5.1)")
class AtomicMemoryTest {
    @Tag("EXT-5.1.1-2")
    @Test
    @DisplayName("the example of the vectors: two fields of 32 bits, no carry between them (EXT-5.1.1-2)")
    void twoFields() {
        assertThat(AtomicMemory.sum(0x0000000100000001L, 0x00000001ffffffffL, 0x8000000080000000L))
                .isEqualTo(0x0000000200000000L);
        assertThat(AtomicMemory.sum(-1, 1, 0)).isZero();
    }

    @Test
    @DisplayName("a result is stored in the machine's byte order")
    void store() {
        ByteBuffer memory = ByteBuffer.allocate(12);
        AtomicMemory.store(memory, 3, 0x0102030405060708L);
        assertThat(memory.order(ByteOrder.nativeOrder()).getLong(3)).isEqualTo(0x0102030405060708L);
    }

    @Tag("EXT-5.3-1")
    @Test
    @DisplayName("two threads add 20,000 times, and nothing is lost (RFC 7306 §5.3)")
    void threads() throws InterruptedException {
        ByteBuffer memory = Station.memory(8);
        CountDownLatch start = new CountDownLatch(2);
        Runnable adder = () -> {
            start.countDown();
            try {
                start.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            for (int i = 0; i < 10_000; i++) {
                AtomicMemory.fetchAndAdd(memory, 0, 1, 0);
            }
        };
        Thread other = new Thread(adder);
        other.start();
        adder.run();
        other.join();
        assertThat(memory.duplicate().order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(20_000);
    }
}
