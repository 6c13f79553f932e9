package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.verbs.AddressHandle;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A fast path writes all segments of a message after the first one, except with pacing. */
@DisplayName("The datagrams of a message")
class DatagramOctetsTest {
    private static final int LENGTH = 200_000;

    /** The send times of the datagrams. */
    private final List<Long> times = new ArrayList<>();

    private List<String> sent(Map<String, String> settings) {
        List<String> all = new ArrayList<>();
        times.clear();
        try (DatagramWorld world = DatagramWorld.simulated(new SimNetwork(7), settings)) {
            world.datagrams().tap((from, to, octets, now) -> {
                byte[] copy = new byte[octets.remaining()];
                octets.get(copy);
                times.add(now);
                all.add(HexFormat.of().formatHex(copy));
            });
            DatagramSide active = DatagramSide.on(world, 0);
            DatagramSide passive = DatagramSide.on(world, 1);
            active.pattern(0, LENGTH);
            AddressHandle handle = active.to(passive);
            for (int length : new int[] {0, 64, 1_428, 1_429, 2_856, 3_000, 20_000, LENGTH}) {
                passive.receive(length, 0, LENGTH);
                active.send(length, handle, 0, length);
                active.writeRecord(length, handle, passive, 0, length);
            }
            world.settle();
            assertThat(passive.hasPattern(0, LENGTH)).isTrue();
        }
        return all;
    }

    @Test
    @DisplayName("are the same with and without the fast path")
    void same() {
        List<String> repeated = sent(Map.of());
        assertThat(repeated).hasSizeGreaterThan(300);
        assertThat(sent(Map.of("jwarp.udp.pace", "1000000000000"))).isEqualTo(repeated);
    }

    @Test
    @DisplayName("are sent one by one with pacing")
    void pace() {
        sent(Map.of("jwarp.udp.pace", "2000000"));
        assertThat(times.stream().distinct().count()).isGreaterThan(100);
    }
}
