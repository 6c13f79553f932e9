package dev.jwarp.transport.udp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Injected faults")
class InjectorTest {
    private static final int COUNT = 4_000;

    private long lost;
    private long doubled;
    private long held;

    /** Sends messages. Returns the first bytes of the sent datagrams, in order. */
    private List<Integer> run(String faults, long step, int firstId) {
        EngineRig rig = new EngineRig(Map.of("jwarp.udp.inject", faults), true);
        DatagramPeer peer = EngineRig.peer(EngineRig.LOOPBACK);
        rig.upper.nextId += firstId;
        List<Integer> arrived = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            rig.upper.send(peer, new byte[] {(byte) (i >> 8), (byte) i});
            rig.upper.lower().doorbell();
            collect(rig, arrived);
            rig.now += step;
        }
        while (rig.engine.nextTimeout() != Long.MAX_VALUE) {
            rig.now = Math.max(rig.now, rig.engine.nextTimeout());
            rig.engine.onTimeout(rig.now);
            collect(rig, arrived);
        }
        assertThat(rig.upper.transmitted).as("injected losses count as sent").isEqualTo(COUNT);
        lost = rig.counters.get(UdpCounter.INJECTED_LOSS);
        doubled = rig.counters.get(UdpCounter.INJECTED_DUPLICATE);
        held = rig.counters.get(UdpCounter.INJECTED_DELAY);
        return arrived;
    }

    private static void collect(EngineRig rig, List<Integer> arrived) {
        for (EngineRig.Sent sent : rig.send()) {
            sent.parsed();
            arrived.add(sent.word(ShimHeader.LENGTH + ToyUpper.HEADER) >>> 16);
        }
    }

    @Test
    void loseTheirShare() {
        List<Integer> arrived = run("loss=5%,seed=7", 1_000, 0);
        assertThat(arrived).isSorted().doesNotHaveDuplicates();
        assertThat(lost).isBetween(150L, 250L).isEqualTo(COUNT - arrived.size());
    }

    @Test
    void doubleTheirShare() {
        List<Integer> arrived = run("duplicate=0.1", 1_000, 0);
        assertThat(doubled).isBetween(320L, 480L).isEqualTo(arrived.size() - COUNT);
        assertThat(new HashSet<>(arrived)).hasSize(COUNT);
    }

    @Test
    void letLaterOnesOvertake() {
        List<Integer> arrived = run("reorder=10%", TimeUnit.MICROSECONDS.toNanos(100), 0);
        assertThat(held).isBetween(320L, 480L);
        assertThat(arrived)
                .hasSize(COUNT)
                .isNotEqualTo(IntStream.range(0, COUNT).boxed().toList());
        assertThat(new HashSet<>(arrived)).hasSize(COUNT);
        for (int i = 0; i < COUNT; i++) {
            assertThat(arrived.get(i)).as("a millisecond, no more").isBetween(i - 12, i + 12);
        }
    }

    @Test
    void holdEverythingBackByADelay() {
        assertThat(run("delay=3ms", 1_000, 0))
                .isEqualTo(IntStream.range(0, COUNT).boxed().toList());
        assertThat(held).isEqualTo(COUNT);
    }

    @Test
    void areTheSameForTheSameSeedWhateverTheTimeAndTheFirstMessageId() {
        List<Integer> once = run("loss=10%,duplicate=5%,seed=3", 1_000, 0);
        assertThat(run("loss=10%,duplicate=5%,seed=3", 777, 12_345)).isEqualTo(once);
        assertThat(run("loss=10%,duplicate=5%,seed=4", 1_000, 0)).isNotEqualTo(once);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "loss",
                "loss=2",
                "loss=-1%",
                "loss=x",
                "delay=3",
                "delay=-1ms",
                "drop=1%",
                "loss=1%,loss=2%",
                ","
            })
    void areRefusedInASentenceIfTheyCannotBe(String faults) {
        assertThatThrownBy(() -> UdpSettings.of(Map.of("jwarp.udp.inject", faults)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jwarp.udp.inject=" + faults)
                .hasMessageContaining("loss=1%");
    }
}
