package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rdmap.datagram.MessageSources.MessageSource;
import dev.jwarp.rdmap.work.OperationPool;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The parts of a datagram endpoint")
class DatagramPartsTest {
    private static final long SECOND = 1_000_000_000L;

    @Tag("DG-5.3-1")
    @Test
    @DisplayName("A message is remembered for at least 2 and at most 4 seconds")
    void seenFor() {
        SeenSet seen = new SeenSet(1_024, 2 * SECOND);
        seen.add(0, 0);
        seen.add(7, SECOND);
        assertThat(seen.contains(0, 2 * SECOND)).isTrue();
        assertThat(seen.contains(7, 3 * SECOND)).isTrue();
        assertThat(seen.contains(8, 3 * SECOND)).isFalse();
        assertThat(seen.contains(7, 5 * SECOND)).isFalse();
        seen.add(9, 5 * SECOND);
        assertThat(seen.contains(9, 60 * SECOND))
                .as("even without a look-up for a long time")
                .isFalse();
        assertThat(seen.takeFlippedEarly()).isFalse();
    }

    @Test
    @DisplayName("or until a generation of others is full, which is counted")
    void seenEarly() {
        SeenSet seen = new SeenSet(1_024, 2 * SECOND);
        Random random = new Random(1);
        seen.add(-5, 0);
        for (int i = 0; i < 1_024; i++) {
            seen.add(random.nextLong(), 0);
            assertThat(seen.contains(-5, 0)).isTrue();
        }
        assertThat(seen.takeFlippedEarly()).isTrue();
        assertThat(seen.takeFlippedEarly()).isFalse();
        for (int i = 0; i < 2_048; i++) {
            seen.add(random.nextLong(), 0);
        }
        assertThat(seen.contains(-5, 0)).isFalse();
    }

    @Test
    @DisplayName("A key added twice takes one entry")
    void seenTwice() {
        SeenSet seen = new SeenSet(1_024, 2 * SECOND);
        for (int i = 0; i < 10_000; i++) {
            seen.add(i % 1_000, 0);
        }
        assertThat(seen.takeFlippedEarly()).isFalse();
    }

    @Test
    @DisplayName("Hashes depend on the key, and on each number of a message")
    void hash() {
        KeyedHash hash = new KeyedHash(new Random(1));
        Set<Long> all = new HashSet<>();
        for (int qpn = 20; qpn < 24; qpn++) {
            for (int host = 1; host < 5; host++) {
                for (int id = 0; id < 4; id++) {
                    all.add(hash.message(qpn, FakePort.address(host), 16, id));
                    all.add(hash.message(qpn, FakePort.address(host), 17, id));
                }
            }
        }
        assertThat(all).hasSize(128);
        assertThat(new KeyedHash(new Random(2)).message(20, FakePort.address(1), 16, 0))
                .isNotIn(all);
    }

    @Test
    @DisplayName("A pool passes operations in order, and releases them in any order")
    void pool() {
        AtomicInteger made = new AtomicInteger();
        OperationPool<Integer> pool = new OperationPool<>(3, made::getAndIncrement);
        List<Integer> posted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Integer claimed = pool.claim();
            assertThat(pool.claim()).isSameAs(claimed);
            posted.add(claimed);
            pool.publish();
        }
        assertThat(pool.claim()).isNull();
        assertThat(pool.size()).isEqualTo(3);
        assertThat(List.of(pool.take(), pool.take(), pool.take())).isEqualTo(posted);
        assertThat(pool.take()).isNull();
        pool.release(posted.get(2));
        assertThat(pool.claim()).isEqualTo(posted.get(2));
        pool.publish();
        assertThat(pool.take()).isEqualTo(posted.get(2));
        pool.release(posted.get(0));
        pool.release(posted.get(1));
        assertThat(pool.size()).isEqualTo(1);
        assertThatThrownBy(() -> new OperationPool<>(0, Object::new)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("A source is removed when it holds nothing")
    void sources() {
        MessageSources sources = new MessageSources(new KeyedHash(new Random(1)));
        List<MessageSource> held = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            held.add(sources.hold(FakePort.address(i)));
        }
        assertThat(sources.hold(FakePort.address(3))).isSameAs(held.get(3));
        assertThat(sources.size()).isEqualTo(20);
        held.forEach(sources::release);
        assertThat(sources.size()).isEqualTo(1);
        sources.release(held.get(3));
        assertThat(sources.size()).isZero();
        assertThat(sources.hold(FakePort.address(3))).isNotNull();
    }

    @Test
    @DisplayName("Errors of settings name the limit, its meaning and its range")
    void settings() {
        assertThatThrownBy(() -> DatagramSettings.DEFAULT.with(DatagramLimit.RECORDS, 15))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("records (messages that may be half received at a time) is 16 to 65536, not 15");
        for (DatagramLimit limit : DatagramLimit.values()) {
            assertThat(limit.defaultValue()).isBetween(limit.least(), limit.most());
            assertThat(limit.sentence()).isNotBlank().doesNotEndWith(".");
            assertThat(DatagramSettings.DEFAULT.get(limit)).isEqualTo(limit.defaultValue());
        }
        for (DatagramCounter counter : DatagramCounter.values()) {
            assertThat(counter.sentence()).endsWith(".");
        }
    }
}
