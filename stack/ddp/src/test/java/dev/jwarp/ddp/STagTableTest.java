package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.OwnThread;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class STagTableTest {
    private static final long DOMAIN = 9;
    private static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.MW_BIND;

    private final STagTable table = new STagTable(new SplittableRandom(5), 10_000);

    private TaggedBuffer register(int length) {
        return table.register(DOMAIN, ByteBuffer.allocate(length), 0x4000, ALL);
    }

    @Test
    void findsWhatWasRegistered() {
        TaggedBuffer one = register(10);
        TaggedBuffer other = register(20);
        assertThat(table.find(one.stag())).isSameAs(one);
        assertThat(table.find(other.stag())).isSameAs(other);
        assertThat(table.find(one.stag() ^ other.stag() ^ 0x1234)).isNull();
        assertThat(table.find(STagTable.NO_STAG)).isNull();
        assertThat(table.size()).isEqualTo(2);
        assertThat(one.domain()).isEqualTo(DOMAIN);
        assertThat(one.streamId()).isZero();
        assertThat(one.length()).isEqualTo(10);
        assertThat(one.baseOffset()).isEqualTo(0x4000);
        assertThat(one.access()).isEqualTo(ALL);
        assertThat(one.region()).isNull();
        assertThat(one.toString()).contains("0x4000");
    }

    @Test
    void forgetsWhatWasDeregistered() {
        TaggedBuffer buffer = register(10);
        assertThat(table.deregister(buffer)).isTrue();
        assertThat(table.find(buffer.stag())).isNull();
        assertThat(buffer.valid()).isFalse();
        assertThat(table.deregister(buffer)).isFalse();
        assertThat(table.size()).isZero();
    }

    @Test
    void keepsTheStagOfWhatIsOnlyInvalidated() {
        TaggedBuffer buffer = register(10);
        table.invalidate(buffer);
        assertThat(table.find(buffer.stag())).isSameAs(buffer);
        assertThat(buffer.valid()).isFalse();
        assertThatThrownBy(() -> table.registerAs(buffer.stag(), DOMAIN, ByteBuffer.allocate(1), 0, ALL))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Tag("SEC-6.1.1-2")
    @Test
    void neverTakesAStaleStagForANewOne() {
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            TaggedBuffer buffer = register(1);
            assertThat(used.add(buffer.stag())).isTrue();
            assertThat(table.deregister(buffer)).isTrue();
        }
        assertThat(used).doesNotContain(STagTable.NO_STAG);
    }

    @Test
    void passesOverNumbersThatWereChosen() {
        int next = new STagTable(new SplittableRandom(5), 1)
                .register(DOMAIN, ByteBuffer.allocate(1), 0, ALL)
                .stag();
        TaggedBuffer chosen = table.registerAs(next, DOMAIN, ByteBuffer.allocate(1), 0, ALL);
        assertThat(register(1).stag()).isNotEqualTo(next);
        assertThat(table.find(next)).isSameAs(chosen);
    }

    /** A long sequence of registrations and deregistrations, with a map as the model. */
    @Property(tries = 200)
    void holdsWhatAMapHolds(@ForAll List<Boolean> steps, @ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Integer, TaggedBuffer> model = new HashMap<>();
        List<TaggedBuffer> order = new ArrayList<>();
        Set<Integer> gone = new HashSet<>();
        for (boolean add : steps) {
            for (int i = 0; i < 5; i++) {
                if (add || order.isEmpty()) {
                    // Chosen STags close together make the probing collide.
                    int stag = 1 + random.nextInt(40);
                    TaggedBuffer buffer = model.containsKey(stag)
                            ? register(1)
                            : table.registerAs(stag, DOMAIN, ByteBuffer.allocate(1), 0, ALL);
                    model.put(buffer.stag(), buffer);
                    order.add(buffer);
                    gone.remove(buffer.stag());
                } else {
                    TaggedBuffer buffer = order.remove(random.nextInt(order.size()));
                    model.remove(buffer.stag());
                    gone.add(buffer.stag());
                    assertThat(table.deregister(buffer)).isTrue();
                }
            }
            assertThat(table.size()).isEqualTo(model.size());
            model.forEach((stag, buffer) -> assertThat(table.find(stag)).isSameAs(buffer));
            gone.forEach(stag -> assertThat(table.find(stag)).isNull());
        }
        order.forEach(table::deregister);
    }

    @Test
    void findsWithoutALockWhileOthersRegister() {
        TaggedBuffer stays = register(10);
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(
                () -> {
                    long looks = 0;
                    while (!done.get() || looks == 0) {
                        if (table.find(stays.stag()) != stays) {
                            throw new AssertionError("lost after " + looks + " looks");
                        }
                        looks++;
                    }
                    return looks;
                },
                OwnThread.EACH);
        List<TaggedBuffer> others = new ArrayList<>();
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 1_000; i++) {
                others.add(register(1));
            }
            others.forEach(table::deregister);
            others.clear();
        }
        done.set(true);
        assertThat(reader.join()).isPositive();
    }

    @Tag("SEC-6.4.1-1")
    @Test
    void refusesMoreThanItsLimit() {
        STagTable small = new STagTable(new SplittableRandom(1), 2);
        ByteBuffer memory = ByteBuffer.allocate(1);
        TaggedBuffer first = small.register(DOMAIN, memory, 0, ALL);
        small.register(DOMAIN, memory, 0, ALL);
        assertThatThrownBy(() -> small.register(DOMAIN, memory, 0, ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("deregister");
        assertThatThrownBy(() -> small.registerWindow(first, 0, 0, 1, 0, 0)).isInstanceOf(IllegalStateException.class);
        small.deregister(first);
        assertThat(small.register(DOMAIN, memory, 0, ALL)).isNotNull();
        assertThatThrownBy(() -> new STagTable(new SplittableRandom(1), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesTheOctetsBetweenPositionAndLimitOnceAndForEver() {
        ByteBuffer memory = ByteBuffer.allocate(100);
        memory.position(10).limit(30);
        TaggedBuffer buffer = table.register(DOMAIN, memory, 0, ALL);
        memory.clear().limit(0);
        assertThat(buffer.length()).isEqualTo(20);
        buffer.memoryAt(0).put(buffer.indexAt(buffer.position(19)), (byte) 7);
        memory.clear();
        assertThat(memory.get(29)).isEqualTo((byte) 7);
    }

    @Test
    void letsARangeEndJustBelowTheTopOfTheOffsets() {
        ByteBuffer memory = ByteBuffer.allocate(16);
        assertThat(table.register(DOMAIN, memory, -17, ALL).contains(-2, 1)).isTrue();
        assertThatThrownBy(() -> table.register(DOMAIN, memory, -16, ALL)).hasMessageContaining("2^64");
        assertThatThrownBy(() -> table.register(DOMAIN, memory, -1, ALL)).hasMessageContaining("2^64");
        assertThat(table.register(DOMAIN, memory, 0, ALL)).isNotNull();
        assertThat(table.register(DOMAIN, memory, Long.MAX_VALUE, ALL)).isNotNull();
        assertThat(table.register(DOMAIN, ByteBuffer.allocate(0), -1, ALL).length())
                .isZero();
    }

    @Test
    void refusesToOpenReadOnlyMemoryForWriting() {
        ByteBuffer memory = ByteBuffer.allocate(16).asReadOnlyBuffer();
        for (int access : new int[] {Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC}) {
            assertThatThrownBy(() -> table.register(DOMAIN, memory, 0, access)).hasMessageContaining("Read-only");
        }
        assertThat(table.register(DOMAIN, memory, 0, Access.REMOTE_READ)).isNotNull();
        assertThatThrownBy(() -> table.register(DOMAIN, memory, 0, 32)).hasMessageContaining("0x20");
    }

    @Test
    void bindsAWindowIntoARegion() {
        TaggedBuffer region = register(100);
        TaggedBuffer window = table.registerWindow(region, 77, 10, 20, 0, Access.REMOTE_WRITE);
        assertThat(window.region()).isSameAs(region);
        assertThat(window.streamId()).isEqualTo(77);
        assertThat(window.domain()).isEqualTo(DOMAIN);
        assertThat(window.stag()).isNotEqualTo(region.stag());
        assertThat(window.memoryOffset()).isEqualTo(10);
        assertThat(window.position(19)).isEqualTo(29);
        assertThat(window.contains(20, 1)).isFalse();
        assertThat(window.toString()).contains("stream 77");
    }

    @Test
    void letsAWindowLiveNoLongerThanItsRegion() {
        TaggedBuffer region = register(100);
        TaggedBuffer window = table.registerWindow(region, 0, 0, 100, 0, Access.REMOTE_READ);
        assertThat(window.valid()).isTrue();
        table.deregister(region);
        assertThat(window.valid()).isFalse();
        assertThat(table.find(window.stag())).as("still to be deregistered").isSameAs(window);
        assertThat(window.toString()).contains("invalid");
    }

    @Test
    void refusesAWindowThatTheRegionDoesNotAllow() {
        TaggedBuffer region = register(100);
        for (int[] range : new int[][] {{-1, 2}, {0, 101}, {100, 1}, {1, -1}, {1, Integer.MAX_VALUE}}) {
            assertThatThrownBy(() -> table.registerWindow(region, 0, range[0], range[1], 0, Access.REMOTE_READ))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> table.registerWindow(region, 0, 0, 100, -100, Access.REMOTE_READ))
                .hasMessageContaining("2^64");
        TaggedBuffer window = table.registerWindow(region, 0, 0, 10, 0, Access.REMOTE_READ);
        assertThatThrownBy(() -> table.registerWindow(window, 0, 0, 1, 0, Access.REMOTE_READ))
                .hasMessageContaining("MW_BIND");
        TaggedBuffer plain = table.register(DOMAIN, ByteBuffer.allocate(1), 0, Access.LOCAL_WRITE);
        assertThatThrownBy(() -> table.registerWindow(plain, 0, 0, 1, 0, Access.REMOTE_READ))
                .hasMessageContaining("MW_BIND");
        TaggedBuffer readable = table.register(DOMAIN, ByteBuffer.allocate(1), 0, Access.MW_BIND);
        assertThatThrownBy(() -> table.registerWindow(readable, 0, 0, 1, 0, Access.REMOTE_WRITE))
                .hasMessageContaining("LOCAL_WRITE");
        table.invalidate(region);
        assertThatThrownBy(() -> table.registerWindow(region, 0, 0, 1, 0, Access.REMOTE_READ))
                .hasMessageContaining("valid");
    }
}
