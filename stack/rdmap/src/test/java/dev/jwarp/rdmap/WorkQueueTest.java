package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ScatterList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Work queues and their operations")
class WorkQueueTest {
    @Test
    @DisplayName("hold exactly as many operations as requested, in order, and create each once")
    void capacity() {
        AtomicInteger made = new AtomicInteger();
        OperationRing<int[]> ring = new OperationRing<>(3, () -> new int[] {made.getAndIncrement()});
        assertThat(ring.capacity()).isEqualTo(3);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 3; i++) {
                int[] slot = ring.claim();
                assertThat(slot).isNotNull();
                assertThat(ring.claim()).isSameAs(slot);
                slot[0] = round * 3 + i;
                ring.publish();
                assertThat(ring.size()).isEqualTo(i + 1);
            }
            assertThat(ring.claim()).isNull();
            for (int i = 0; i < 3; i++) {
                long sequence = round * 3L + i;
                assertThat(ring.released()).isEqualTo(sequence);
                assertThat(ring.at(sequence)[0]).isEqualTo((int) sequence);
                ring.release(sequence);
            }
            assertThat(ring.published()).isEqualTo(round * 3L + 3);
        }
        assertThat(made).as("never more than are outstanding").hasValue(3);
    }

    @Test
    @DisplayName("reuse the most recently used operation first")
    void warmFirst() {
        AtomicInteger made = new AtomicInteger();
        OperationRing<int[]> ring = new OperationRing<>(8, () -> new int[] {made.getAndIncrement()});
        for (int i = 0; i < 20; i++) {
            assertThat(ring.claim()).containsExactly(0);
            ring.publish();
            ring.release(i);
        }
        assertThat(made).hasValue(1);
        for (int i = 0; i < 3; i++) {
            ring.claim();
            ring.publish();
        }
        ring.release(20);
        ring.release(21);
        assertThat(ring.claim()).containsExactly(1);
        ring.publish();
        assertThat(ring.claim()).containsExactly(0);
        ring.publish();
        assertThat(ring.at(22)).containsExactly(2);
        assertThat(made).hasValue(3);
    }

    @Test
    @DisplayName("reject invalid sizes, and releases out of order")
    void misuse() {
        assertThatThrownBy(() -> new OperationRing<>(0, Object::new)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new OperationRing<>((1 << 20) + 1, Object::new))
                .isInstanceOf(IllegalArgumentException.class);
        OperationRing<Object> ring = new OperationRing<>(2, Object::new);
        ring.publish();
        ring.publish();
        assertThatThrownBy(() -> ring.release(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("pass operations from one thread to another")
    void threads() throws InterruptedException {
        OperationRing<long[]> ring = new OperationRing<>(16, () -> new long[1]);
        int count = 200_000;
        Thread producer = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                long[] slot = ring.claim();
                while (slot == null) {
                    Thread.onSpinWait();
                    slot = ring.claim();
                }
                slot[0] = i;
                ring.publish();
            }
        });
        producer.start();
        for (long i = 0; i < count; i++) {
            while (ring.published() <= i) {
                Thread.onSpinWait();
            }
            assertThat(ring.at(i)[0]).isEqualTo(i);
            ring.release(i);
        }
        producer.join();
    }

    @Test
    @DisplayName("a reset operation is blank")
    void reset() {
        Station station = new Station();
        TaggedBuffer region = station.region(8);
        SendOperation op = new SendOperation(2, 8);
        op.reset(Kind.SEND, 1)
                .fence(true)
                .signaled(true)
                .solicited(true)
                .remote(1, 2)
                .immediate(3)
                .invalidateSTag(4)
                .compareAndSwap(5, 6, 7, 8)
                .bind(region, region)
                .memory()
                .add(region, 0, 8);
        op.reset(Kind.RDMA_WRITE, 2);
        assertThat(op.kind()).isEqualTo(Kind.RDMA_WRITE);
        assertThat(op.workRequestId()).isEqualTo(2);
        assertThat(op.fence() || op.signaled() || op.solicited()).isFalse();
        assertThat(op.remoteSTag() | op.remoteOffset() | op.immediate() | op.invalidateSTag())
                .isZero();
        assertThat(op.operand() | op.operandMask() | op.compare() | op.compareMask())
                .isZero();
        assertThat(op.window()).isNull();
        assertThat(op.replacedWindow()).isNull();
        assertThat(op.memory().size()).isZero();
        assertThat(op.memory().length()).isZero();
    }

    @Test
    @DisplayName("a scatter list holds up to its maximum of pieces or inline bytes")
    void scatterList() {
        Station station = new Station();
        TaggedBuffer region = station.region(100);
        ScatterList list = new ScatterList(2, 10);
        list.add(region, 5, 20);
        list.add(region, 50, 30);
        assertThat(list.length()).isEqualTo(50);
        assertThat(list.size()).isEqualTo(2);
        assertThat(list.buffer(1)).isSameAs(region);
        List<String> written = new ArrayList<>();
        list.write(
                (source, index, length, stable) -> {
                    assertThat(source).isSameAs(region.memoryAt(0));
                    written.add(length + " from " + index + " on");
                },
                19,
                3);
        assertThat(written).containsExactly("1 from 24 on", "2 from 50 on");
        assertThat(list.length(1)).isEqualTo(30);
        assertThatThrownBy(() -> list.add(region, 0, 1)).hasMessageContaining("2 pieces");
        assertThatThrownBy(() -> list.addInline(ByteBuffer.allocate(1), 0, 1)).hasMessageContaining("do not mix");

        list.clear();
        list.addInline(ByteBuffer.wrap(Ulpdus.octets(8)), 2, 6);
        list.addInline(ByteBuffer.wrap(Ulpdus.octets(8)), 0, 4);
        assertThat(list.size()).isEqualTo(1);
        assertThat(list.buffer(0)).isNull();
        assertThat(list.length(0)).isEqualTo(10);
        list.write(
                (source, index, length, stable) -> assertThat(source.get(index)).isEqualTo((byte) 1), 6, 1);
        assertThatThrownBy(() -> list.addInline(ByteBuffer.allocate(1), 0, 1)).hasMessageContaining("at most 10");
        assertThatThrownBy(() -> list.add(region, 0, 1)).hasMessageContaining("inline");
    }

    @Tag("DDP-5.2-5")
    @Test
    @DisplayName("a message of 2^32 bytes or more is rejected when it would begin (RFC 5041 §5.2)")
    void tooLong() {
        Station station = new Station().establish();
        // A registration is never that long; a list of several pieces may be.
        TaggedBuffer region = station.region(8);
        station.post(Kind.SEND, 1, op -> {
            for (int i = 0; i < 3; i++) {
                op.memory().add(region, 0, Integer.MAX_VALUE);
            }
        });
        station.lower.sent(station.stream);
        assertThat(station.sendResults()).containsExactly("1 LOC_LEN_ERR");
    }

    @Test
    @DisplayName("errors of settings, and counters, have sentences")
    void words() {
        assertThatThrownBy(() -> new StreamSettings(true, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new StreamSettings(true, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        for (RdmapCounter counter : RdmapCounter.values()) {
            assertThat(counter.counterName()).matches("rdmap_[a-z_]+");
            assertThat(counter.sentence()).endsWith(".");
        }
    }
}
