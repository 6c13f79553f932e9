package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.mpa.Fpdu;
import dev.jwarp.mpa.FpduBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pools")
class PoolsTest {
    private static final ShareHolder NOBODY = nowNanos -> {};
    private Shares memory = shares(0);

    private static Shares shares(long capacity) {
        return new Shares(ShareLimits.of("memory", "", capacity, 0, 0), 42, MpaEngineFactory.WATCHER);
    }

    private ReassemblyPool.Loan loan(long capacity) {
        memory = shares(capacity);
        return new ReassemblyPool(memory).join(1, NOBODY);
    }

    @Test
    @DisplayName("lend a reassembly buffer that is large enough, and the same again")
    void reassembly() {
        ReassemblyPool.Loan pool = loan(1 << 20);
        for (int capacity : new int[] {1, 2048, 2049, 60_000, Fpdu.MAX_LENGTH_WITH_MARKERS}) {
            ByteBuffer buffer = pool.acquire(capacity);
            assertThat(buffer.capacity()).isGreaterThanOrEqualTo(capacity);
            pool.release(buffer);
            assertThat(pool.acquire(capacity)).isSameAs(buffer);
            pool.release(buffer);
        }
        assertThat(memory.used()).isZero();
    }

    @Test
    @DisplayName("lend no more reassembly memory than allowed")
    void reassemblyLimit() {
        ReassemblyPool.Loan pool = loan(4096);
        ByteBuffer first = pool.acquire(2000);
        pool.acquire(2000);
        assertThatThrownBy(() -> pool.acquire(1)) // only the same connection could return memory
                .isInstanceOf(ReassemblyPool.ExhaustedException.class)
                .hasMessageContaining("jwarp.tcp.memory");
        pool.release(first);
        assertThat(pool.acquire(1)).isSameAs(first);
    }

    @Test
    @DisplayName("report that the process has no direct memory left, and count nothing as lent then")
    void noDirectMemory() {
        memory = shares(1 << 20);
        ReassemblyPool.Loan reassembly = new ReassemblyPool(memory, size -> {
                    throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                })
                .join(1, NOBODY);
        assertThatThrownBy(() -> reassembly.acquire(1))
                .isInstanceOf(ReassemblyPool.ExhaustedException.class)
                .hasMessageContaining("MaxDirectMemorySize");
        assertThat(memory.used()).isZero();
        BatchPool batches = new BatchPool(NO_BATCH, shares(1000));
        Share share = batches.join(1, NOBODY, 0);
        assertThatThrownBy(() -> batches.acquire(share, 0))
                .isInstanceOf(BatchPool.ExhaustedException.class)
                .hasMessageContaining("MaxDirectMemorySize");
        assertThat(batches.lent()).isZero();
    }

    @Test
    @DisplayName("take a send buffer from another connection when the process has no memory for one more")
    void noDirectMemoryForMore() {
        java.util.ArrayDeque<FpduBatch> only = new java.util.ArrayDeque<>();
        only.add(new FpduBatch(FpduBatch.MIN_CAPACITY, 4096));
        BatchPool pool = new BatchPool(() -> only.isEmpty() ? NO_BATCH.get() : only.remove(), shares(1000));
        Share[] first = new Share[1];
        FpduBatch[] lent = new FpduBatch[1];
        first[0] = pool.join(1, nowNanos -> pool.release(first[0], lent[0]), 0);
        lent[0] = pool.acquire(first[0], 0);
        Share second = pool.join(2, NOBODY, 1);
        assertThat(pool.acquire(second, 1)).isSameAs(lent[0]);
        assertThat(pool.lent()).isEqualTo(1);
        assertThat(first[0].held()).isZero();
        Share third = pool.join(3, NOBODY, 2);
        assertThatThrownBy(() -> pool.acquire(third, 2)).isInstanceOf(BatchPool.ExhaustedException.class);
        assertThat(pool.lent()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "wake no waiting stream for a send buffer taken from another connection, because it goes to the requester")
    void noRingForWhatIsTaken() {
        java.util.ArrayDeque<FpduBatch> only = new java.util.ArrayDeque<>();
        only.add(new FpduBatch(FpduBatch.MIN_CAPACITY, 4096));
        BatchPool pool = new BatchPool(() -> only.isEmpty() ? NO_BATCH.get() : only.remove(), shares(1000));
        Share[] first = new Share[1];
        FpduBatch[] lent = new FpduBatch[1];
        first[0] = pool.join(1, nowNanos -> pool.release(first[0], lent[0]), 0);
        lent[0] = pool.acquire(first[0], 0);
        TestDriver waiting = TestDriver.responder(TestDriver.factory(), new RecordingHandler());
        waiting.wakeups = 0;
        pool.await(waiting);
        Share second = pool.join(2, NOBODY, 1);
        FpduBatch taken = pool.acquire(second, 1);
        assertThat(waiting.wakeups).isZero();
        pool.release(second, taken);
        assertThat(waiting.wakeups).isEqualTo(1);
    }

    @Test
    @DisplayName("take send buffers back from the connection that has held one for longest, even from the last holder")
    void newestHolder() {
        BatchPool pool = new BatchPool(FpduBatch.MIN_CAPACITY, 4096, shares(2));
        List<String> asked = new ArrayList<>();
        Share[] holders = new Share[2];
        FpduBatch[] lent = new FpduBatch[2];
        for (int i = 0; i < 2; i++) {
            int holder = i;
            holders[i] = pool.join(
                    1,
                    nowNanos -> {
                        asked.add("holder " + holder);
                        pool.release(holders[holder], lent[holder]);
                    },
                    i);
            lent[i] = pool.acquire(holders[i], i);
        }
        assertThat(pool.lent()).isEqualTo(2);
        assertThat(pool.isFree()).isFalse();
        Share asker = pool.join(2, NOBODY, 2);
        FpduBatch first = pool.acquire(asker, 2);
        FpduBatch second = pool.acquire(asker, 3);
        assertThat(asked).containsExactly("holder 0", "holder 1");
        assertThat(List.of(first, second)).containsExactly(lent);
        assertThat(pool.lent()).isEqualTo(2);
        pool.release(asker, first);
        pool.release(asker, second);
        assertThat(pool.lent()).isZero();
    }

    @Test
    @DisplayName("of all threads together stay within their part of the memory of the process")
    void manyOwners() {
        TcpSettings settings = TcpSettings.of(java.util.Map.of());
        int owners = 64;
        long heap = Runtime.getRuntime().maxMemory();
        int batch = FpduBatch.arenaLength(FpduBatch.DEFAULT_CAPACITY);
        long batches = MpaEngineFactory.batchLimits(settings, owners).capacity();
        assertThat(batches).isEqualTo(Math.max(1, Math.min(1024, heap / 4 / owners / batch)));
        long halves = MpaEngineFactory.reassemblyLimits(settings, owners).capacity();
        assertThat(halves).isEqualTo(Math.max(1 << 17, Math.min(256 << 20, heap / 4 / owners)));
        long stalled = MpaEngineFactory.stalledLimits(settings, owners).capacity();
        assertThat(stalled).isEqualTo(Math.max(1 << 20, Math.min(256 << 20, heap / 4 / owners / 2)));
    }

    @Test
    @DisplayName("divide the configured memory: two fifths, two and one, but each has a minimum")
    void setMemory() {
        int batch = FpduBatch.arenaLength(FpduBatch.DEFAULT_CAPACITY);
        TcpSettings some = TcpSettings.of(java.util.Map.of("jwarp.tcp.memory", String.valueOf(50L * batch)));
        assertThat(MpaEngineFactory.batchLimits(some, 64).capacity()).isEqualTo(20);
        assertThat(MpaEngineFactory.reassemblyLimits(some, 64).capacity()).isEqualTo(20L * batch);
        assertThat(MpaEngineFactory.stalledLimits(some, 64).capacity()).isEqualTo(10L * batch);
        TcpSettings least = TcpSettings.of(java.util.Map.of("jwarp.tcp.memory", "1"));
        assertThat(MpaEngineFactory.batchLimits(least, 1).capacity()).isEqualTo(1);
        assertThat(MpaEngineFactory.reassemblyLimits(least, 1).capacity()).isEqualTo(1 << 17);
        assertThat(MpaEngineFactory.stalledLimits(least, 1).capacity()).isEqualTo(1 << 20);
    }

    static final Supplier<FpduBatch> NO_BATCH = () -> {
        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
    };

    @Test
    @DisplayName("reuse the most recently used send buffer, and keep only some")
    void batches() {
        BatchPool pool = new BatchPool(FpduBatch.MIN_CAPACITY, 4096, shares(1000));
        Share share = pool.join(1, NOBODY, 0);
        FpduBatch[] lent = new FpduBatch[100];
        for (int i = 0; i < lent.length; i++) {
            lent[i] = pool.acquire(share, 0);
        }
        for (FpduBatch batch : lent) {
            pool.release(share, batch);
        }
        assertThat(pool.lent()).isZero();
        for (int i = 63; i >= 0; i--) {
            assertThat(pool.acquire(share, 0)).isSameAs(lent[i]);
        }
        assertThat(pool.acquire(share, 0)).isNotIn((Object[]) lent);
    }

    @Test
    @DisplayName("drop references of an idle send buffer to gathered memory")
    void idleBatchForgetsItsSources() {
        BatchPool pool = new BatchPool(FpduBatch.MIN_CAPACITY, 4096, shares(1000));
        Share share = pool.join(1, NOBODY, 0);
        FpduBatch gathering = pool.acquire(share, 0);
        FpduBatch other = pool.acquire(share, 0);
        ByteBuffer region = ByteBuffer.allocateDirect(8192);
        java.lang.ref.WeakReference<ByteBuffer> reference = new java.lang.ref.WeakReference<>(region);
        gathering.reset(true, false, 0);
        gathering.begin(0, 8192);
        gathering.payload(region, 0, 8192, true);
        gathering.end();
        region = null;
        pool.release(share, gathering);
        pool.release(share, other);
        for (int i = 0; i < 1000; i++) {
            pool.release(share, pool.acquire(share, 0));
        }
        org.awaitility.Awaitility.await().until(() -> {
            System.gc();
            return reference.get() == null;
        });
    }
}
