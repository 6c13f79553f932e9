package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.mpa.Fpdu;
import dev.jwarp.mpa.FpduBatch;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pools")
class PoolsTest {
    @Test
    @DisplayName("lend a reassembly buffer that is large enough, and the same again")
    void reassembly() {
        ReassemblyPool pool = new ReassemblyPool(1 << 20);
        for (int capacity : new int[] {1, 2048, 2049, 60_000, Fpdu.MAX_LENGTH_WITH_MARKERS}) {
            ByteBuffer buffer = pool.acquire(capacity);
            assertThat(buffer.capacity()).isGreaterThanOrEqualTo(capacity);
            pool.release(buffer);
            assertThat(pool.acquire(capacity)).isSameAs(buffer);
            pool.release(buffer);
        }
        assertThat(pool.lent()).isZero();
    }

    @Test
    @DisplayName("lend no more reassembly memory than allowed")
    void reassemblyLimit() {
        ReassemblyPool pool = new ReassemblyPool(4096);
        ByteBuffer first = pool.acquire(2000);
        pool.acquire(2000);
        assertThatThrownBy(() -> pool.acquire(1))
                .isInstanceOf(ReassemblyPool.ExhaustedException.class)
                .hasMessageContaining("jwarp.tcp.reassembly");
        pool.release(first);
        assertThat(pool.acquire(1)).isSameAs(first);
    }

    @Test
    @DisplayName("say so when the process has no direct memory left, and count nothing as lent then")
    void noDirectMemory() {
        ReassemblyPool reassembly = new ReassemblyPool(1 << 20, size -> {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
        });
        assertThatThrownBy(() -> reassembly.acquire(1))
                .isInstanceOf(ReassemblyPool.ExhaustedException.class)
                .hasMessageContaining("MaxDirectMemorySize");
        assertThat(reassembly.lent()).isZero();
        BatchPool batches = new BatchPool(NO_BATCH, 1000, new TcpCounters());
        assertThatThrownBy(batches::acquire)
                .isInstanceOf(BatchPool.ExhaustedException.class)
                .hasMessageContaining("MaxDirectMemorySize");
        assertThat(batches.lent()).isZero();
    }

    static final Supplier<FpduBatch> NO_BATCH = () -> {
        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
    };

    @Test
    @DisplayName("hand out the send buffer that was used last, and keep only some")
    void batches() {
        BatchPool pool = new BatchPool(FpduBatch.MIN_CAPACITY, 4096, 1000, new TcpCounters());
        FpduBatch[] lent = new FpduBatch[100];
        for (int i = 0; i < lent.length; i++) {
            lent[i] = pool.acquire();
        }
        for (FpduBatch batch : lent) {
            pool.release(batch);
        }
        assertThat(pool.lent()).isZero();
        for (int i = 63; i >= 0; i--) {
            assertThat(pool.acquire()).isSameAs(lent[i]);
        }
        assertThat(pool.acquire()).isNotIn((Object[]) lent);
    }

    @Test
    @DisplayName("do not keep the memory of others alive through a send buffer that lies idle")
    void idleBatchForgetsItsSources() {
        BatchPool pool = new BatchPool(FpduBatch.MIN_CAPACITY, 4096, 1000, new TcpCounters());
        FpduBatch gathering = pool.acquire();
        FpduBatch other = pool.acquire();
        ByteBuffer region = ByteBuffer.allocateDirect(8192);
        java.lang.ref.WeakReference<ByteBuffer> reference = new java.lang.ref.WeakReference<>(region);
        gathering.reset(true, false, 0);
        gathering.begin(0, 8192);
        gathering.payload(region, 0, 8192, true);
        gathering.end();
        region = null;
        pool.release(gathering);
        pool.release(other);
        for (int i = 0; i < 1000; i++) {
            pool.release(pool.acquire());
        }
        org.awaitility.Awaitility.await().until(() -> {
            System.gc();
            return reference.get() == null;
        });
    }
}
