package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A buffer pool")
class BufferPoolTest {
    private static final int LIMIT = 1 << 20;

    private final Machine machine = new Machine(Progress.THREADED, Map.of());
    private final ProtectionDomain domain = machine.context.allocateProtectionDomain();

    @AfterEach
    void close() throws Exception {
        machine.close();
    }

    @Test
    @DisplayName("registers nothing when buffers are taken again, a million times")
    void registrations() {
        BufferPool pool = new BufferPool(domain, LIMIT, false, Runnable::run);
        MessageBuffer[] held = new MessageBuffer[8];
        SplittableRandom random = new SplittableRandom(1);
        for (int size : new int[] {4_096, 8_192, 16_384, 32_768}) { // eight of each
            for (int i = 0; i < held.length; i++) {
                held[i] = pool.allocate(size);
            }
            for (MessageBuffer each : held) {
                each.close();
            }
        }
        java.util.Arrays.fill(held, null);
        long before = pool.registrations();
        for (int i = 0; i < 1_000_000; i++) {
            int at = random.nextInt(held.length);
            if (held[at] != null) {
                held[at].close();
            }
            held[at] = pool.allocate(random.nextInt(32_769));
        }
        assertThat(pool.registrations()).isEqualTo(before);
        assertThat(pool.allocated()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    @DisplayName("holds no more than its limit, gives idle memory of other sizes up, and names who holds the rest")
    void exhausted() {
        BufferPool pool = new BufferPool(domain, LIMIT, true, Runnable::run);
        for (int i = 0; i < 100; i++) {
            pool.allocate(4_096 << i % 8).close();
        }
        MessageBuffer all = pool.allocate(LIMIT);
        assertThat(pool.allocated()).isEqualTo(LIMIT);
        assertThatThrownBy(() -> pool.allocate(1))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.LIMIT_REACHED))
                .hasMessageContaining("1 buffers are taken")
                .hasMessageContaining("The oldest was taken at ");
        all.close();
        pool.allocate(1).close();
        assertThat(pool.taken()).isZero();
    }

    @Test
    @DisplayName("lets no one use a buffer that was given back, and takes it back once")
    void givenBack() {
        BufferPool pool = new BufferPool(domain, LIMIT, false, Runnable::run);
        MessageBuffer buffer = pool.allocate(10);
        buffer.close();
        buffer.close();
        assertThatThrownBy(buffer::data)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.WRONG_STATE));
        assertThat(pool.allocate(10)).isNotSameAs(pool.allocate(10));
    }

    @Test
    @DisplayName("has buffers of 0 bytes to 1 GiB")
    void sizes() {
        BufferPool pool = new BufferPool(domain, LIMIT, false, Runnable::run);
        assertThat(pool.allocate(0).data().remaining()).isZero();
        assertThat(pool.allocate(4_097).capacity()).isEqualTo(8_192);
        assertThatThrownBy(() -> pool.allocate(-1)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> pool.allocate((1 << 30) + 1)).isInstanceOf(RdmaException.class);
    }
}
