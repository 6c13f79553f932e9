package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.wire.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The datagrams of a channel (datagram-iWARP §11.4)")
class RdPacingTest extends RdPair {
    private static final long MILLI = RdSim.millis(1);

    /** The times at which a sent datagrams of data. */
    private final List<Long> times = new ArrayList<>();

    RdPacingTest() {
        a.upper.segment = 1412;
        sim.drops = p -> {
            if (p.kind == Kind.DATA && p.from.equals(a.address)) {
                times.add(sim.now());
            }
            return false;
        };
    }

    /** {@return the most datagrams sent within {@code nanos}} */
    private int most(long nanos) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.size(); last++) {
            while (times.get(last) - times.get(first) > nanos) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    @Tag("DG-11.4-5")
    @Test
    @DisplayName("are spread over the round trip of a long path: in a 16th of it at most a quarter of a window")
    void spread() {
        sim.delay = 32 * MILLI;
        a.post(b, 1_000_000, 1);
        sim.run(1_000 * MILLI);
        times.clear();
        sim.run(640 * MILLI);
        assertThat(times).as("each 64 ms").hasSizeGreaterThan(10 * 1_000);
        assertThat(most(4 * MILLI)).isLessThanOrEqualTo(times.size() / 10 / 4);
    }

    @Test
    @DisplayName("are clocked by acknowledgements, without pacing, if a round trip is shorter than timers")
    void shortPath() {
        sim.delay = MILLI / 10;
        a.post(b, 10_000, 1);
        sim.run(20 * MILLI);
        assertThat(a.endpoint.nextSend()).isEqualTo(Long.MAX_VALUE);
        assertThat(times.size()).as("256 each 0.2 ms").isGreaterThan(9_000);
    }

    @Test
    @DisplayName("that wait for the pace need no time-out, only a later send")
    void noTimeout() {
        sim.delay = 32 * MILLI;
        a.post(b, 10_000, 1);
        while (a.endpoint.nextSend() == Long.MAX_VALUE && sim.now() < 2_000 * MILLI) {
            sim.run(MILLI / 10);
        }
        assertThat(a.endpoint.nextSend()).isLessThan(a.endpoint.nextTimeout());
    }
}
