package dev.jwarp.rdmap.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CountDownLatch;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Atomics on eight octets (RFC 7306 §5.1)")
@Label("Atomics on eight octets")
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
        ByteBuffer memory = aligned(8);
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

    private static ByteBuffer aligned(int octets) {
        return ByteBuffer.allocateDirect(octets + 8).alignedSlice(8).slice(0, octets);
    }

    /** Adds bit by bit, as RFC 7306 §5.1.1 describes: a carry propagates unless the bit is the top of a field. */
    private static long sumBitByBit(long value, long addend, long boundaries) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < 64; bit++) {
            long here = (value >>> bit & 1) + (addend >>> bit & 1) + carry;
            sum |= (here & 1) << bit;
            carry = (boundaries >>> bit & 1) == 1 ? 0 : here >>> 1;
        }
        return sum;
    }

    @net.jqwik.api.Tag("EXT-5.1.1-1")
    @Property
    @Label("the masked sum is the sum bit by bit")
    void sum(@ForAll long value, @ForAll long addend, @ForAll long boundaries) {
        assertThat(AtomicMemory.sum(value, addend, boundaries)).isEqualTo(sumBitByBit(value, addend, boundaries));
    }

    @net.jqwik.api.Tag("EXT-5.1.1-1")
    @net.jqwik.api.Tag("EXT-5.1.2-1")
    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("FetchAdd and CmpSwap store the new value and return the old one")
    void operations(@ForAll long old, @ForAll long a, @ForAll long aMask, @ForAll long b, @ForAll long bMask) {
        ByteBuffer memory = aligned(24);
        ByteBuffer view = memory.duplicate().order(ByteOrder.nativeOrder());
        view.putLong(8, old);
        assertThat(AtomicMemory.fetchAndAdd(memory, 8, a, aMask)).isEqualTo(old);
        assertThat(view.getLong(8)).isEqualTo(sumBitByBit(old, a, aMask));

        view.putLong(8, old);
        assertThat(AtomicMemory.compareAndSwap(memory, 8, a, aMask, b, bMask)).isEqualTo(old);
        boolean equal = (old & aMask) == (a & aMask);
        assertThat(view.getLong(8)).isEqualTo(equal ? (old & ~bMask) | (b & bMask) : old);

        view.putLong(8, old);
        assertThat(AtomicMemory.compareAndSwap(memory, 8, old, -1, b, bMask)).isEqualTo(old);
        assertThat(view.getLong(8)).isEqualTo((old & ~bMask) | (b & bMask));
        assertThat(view.getLong(0)).isZero();
        assertThat(view.getLong(16)).isZero();
    }
}
