package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Share;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.source.Divided;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("The reorder buffer")
class StashTest {
    private static final Divided TOLD = new Divided(counter -> {}, UdpCounter.RD_STASH_TAKEN_BACK);
    private static final DatagramAddress HERE = new DatagramAddress().setIpv4(0x0a00_0001, 1);

    private final StashPool pool = new StashPool(2000, 1 << 20, 1024, 1, TOLD);
    private final Share share = pool.join(HERE, now -> {}, 0);
    private final Stash stash = pool.takeRing();

    private void keep(int psn) {
        StashSlot slot = pool.take(share, 10, 0);
        assertThat(slot).isNotNull();
        stash.keep(psn, slot);
    }

    @Tag("DG-4.4-6")
    @Property
    @Label("has exactly its datagrams in the SACK words")
    void words(@ForAll int ack, @ForAll @Size(max = 100) Set<@IntRange(min = 1, max = 1024) Integer> ahead) {
        ahead.forEach(distance -> keep(ack + distance));
        long[] words = new long[16];
        int count = stash.words(ack, 0, 16, words);
        for (int distance = 1; distance <= 1024; distance++) {
            int bit = distance - 1;
            assertThat((words[bit / 64] & (Long.MIN_VALUE >>> bit)) != 0).isEqualTo(ahead.contains(distance));
        }
        assertThat(count == 0 || words[count - 1] != 0)
                .as("no trailing zero words")
                .isTrue();
        stash.clear(share);
        assertThat(stash.isEmpty()).isTrue();
        assertThat(pool.free()).isEqualTo(2000);
    }

    @Example
    @Label("returns datagrams unchanged, even if a slot had to grow")
    void copies() {
        StashSlot small = pool.take(share, 10, 0);
        assertThat(small).isNotNull();
        pool.give(share, small);
        StashSlot slot = pool.take(share, 8000, 0);
        assertThat(slot).isSameAs(small);
        ByteBuffer big = ByteBuffer.allocate(9000).put(8999, (byte) 7);
        ReceivedDatagram datagram = new ReceivedDatagram().body(big, 1000, 8000);
        Shim shim =
                datagram.shim().addressed(1, 2, 3).message(4, 5).segment(6, 7).flags(true, true, false, true);
        slot.keep(datagram);
        stash.keep(42, slot);
        StashSlot out = stash.take(42);
        assertThat(out).isSameAs(slot);
        assertThat(slot.datagram.length()).isEqualTo(8000);
        assertThat(slot.datagram.buffer()).isNotSameAs(big);
        assertThat(slot.datagram.buffer().get(slot.datagram.offset() + 7999)).isEqualTo((byte) 7);
        assertThat(slot.datagram.shim())
                .isNotSameAs(shim)
                .usingRecursiveComparison()
                .isEqualTo(shim);
        pool.give(share, slot);
        assertThat(slot.datagram.length()).as("the slot is empty afterwards").isZero();
        assertThat(stash.take(42)).isNull();
    }

    @Example
    @Label("keeps each channel's guaranteed share, whatever other channels need")
    void guaranteed() {
        StashPool full = new StashPool(128, 1 << 20, 256, 1, TOLD);
        boolean[] asked = {false};
        Share quiet = full.join(HERE, now -> asked[0] = true, 0);
        Share busy = full.join(new DatagramAddress().setIpv4(0x0a00_0002, 1), now -> {}, 0);
        for (int i = 0; i < 2; i++) {
            assertThat(full.take(quiet, 1, 0)).isNotNull();
        }
        long later = 2 * RdSettings.IDLE_AFTER;
        for (int i = 0; i < 126; i++) {
            assertThat(full.take(busy, 1, later)).isNotNull();
        }
        assertThat(full.take(busy, 1, later)).isNull();
        assertThat(asked[0]).isFalse();
    }

    @Example
    @Label("has a bounded number of datagrams")
    void bounded() {
        StashPool small = new StashPool(2, 1 << 20, 16, 1, TOLD);
        Share one = small.join(HERE, now -> {}, 0);
        StashSlot first = small.take(one, 1, 0);
        assertThat(first).isNotNull();
        assertThat(small.take(one, 1, 0)).isNotNull();
        assertThat(small.take(one, 1, 0)).isNull();
        small.give(one, first);
        assertThat(small.take(one, 1, 0)).isSameAs(first);
    }

    @Example
    @Label("has a bounded number of bytes: a long datagram counts as several, and free slots are released first")
    void memory() {
        int unit = (1 << 20) / 256;
        StashPool small = new StashPool(256, 1 << 20, 16, 1, TOLD);
        Share one = small.join(HERE, now -> {}, 0);
        StashSlot[] longest = new StashSlot[16];
        for (int i = 0; i < longest.length; i++) {
            longest[i] = small.take(one, 16 * unit, 0);
            assertThat(longest[i]).isNotNull();
        }
        assertThat(small.free()).isZero();
        assertThat(small.take(one, 1, 0)).isNull();
        for (StashSlot slot : longest) {
            small.give(one, slot);
        }
        assertThat(small.free()).isEqualTo(256);
        for (int i = 0; i < 256; i++) {
            assertThat(small.take(one, unit, 0)).isNotNull();
            assertThat(small.made()).isLessThanOrEqualTo(1 << 20);
        }
    }

    @Example
    @Label("takes the memory of one row for a datagram anywhere in a window of 32,768")
    void sparse() {
        StashPool far = new StashPool(2000, 1 << 20, 32_768, 1, TOLD);
        Stash wide = far.takeRing();
        StashSlot slot = far.take(far.join(HERE, now -> {}, 0), 10, 0);
        assertThat(slot).isNotNull();
        wide.keep(-5 + 32_768, slot);
        assertThat(wide.has(-5 + 32_768)).isTrue();
        assertThat(wide.has(-5)).as("the same index, a window before").isTrue();
        assertThat(wide.words(-5)).isEqualTo(512);
        assertThat(wide.words(-5, 384, 128, new long[128])).isEqualTo(128);
        assertThat(wide.words(-5, 0, 128, new long[128])).isZero();
        assertThat(wide.take(-5 + 32_768)).isSameAs(slot);
        assertThat(wide.isEmpty()).isTrue();
    }

    @Example
    @Label("gets its memory from a setting, as do the window and the half-open channels")
    void settings() {
        assertThat(RdSettings.of(UdpSettings.of(Map.of()))).isEqualTo(RdSettings.DEFAULT);
        RdSettings least = RdSettings.of(UdpSettings.of(Map.of("jwarp.rd.stash", "1", "jwarp.rd.channels", "1")));
        assertThat(least.stashMemory()).isEqualTo(1 << 20);
        assertThat(least.window()).isEqualTo(16);
        assertThat(least.halfOpen()).isEqualTo(1);
        RdSettings most = RdSettings.of(UdpSettings.of(Map.of("jwarp.rd.stash", "65536")));
        assertThat(most.stashMemory()).isEqualTo(256 << 20);
        assertThat(most.window()).isEqualTo(32_768);
    }
}
