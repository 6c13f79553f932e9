package dev.jwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SimDatagramPipeTest {
    private static final int COUNT = 1_000;

    private final SimNetwork network = new SimNetwork(99);
    private final List<Integer> received = new ArrayList<>();

    private List<Integer> run(DatagramFaults faults) {
        SimDatagramPipe pipe =
                new SimDatagramPipe(network, faults, datagram -> received.add(datagram.getInt(datagram.position())));
        ByteBuffer datagram = ByteBuffer.allocate(8);
        for (int i = 0; i < COUNT; i++) {
            pipe.send(datagram.putInt(0, i));
            network.runFor(1_000);
        }
        network.settle();
        return received;
    }

    private static List<Integer> all() {
        return IntStream.range(0, COUNT).boxed().toList();
    }

    @Test
    void carriesEachDatagramOnceAndInOrderWithoutFaults() {
        assertThat(run(DatagramFaults.NONE)).isEqualTo(all());
    }

    @Test
    void losesItsShare() {
        assertThat(run(new DatagramFaults(0.2, 0, 0, 0)).size()).isBetween(700, 900);
        assertThat(received).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void duplicatesItsShare() {
        assertThat(run(new DatagramFaults(0, 0.2, 0, 0)).size()).isBetween(1_100, 1_300);
        assertThat(new HashSet<>(received)).hasSize(COUNT);
    }

    @Test
    void changesTheOrderWhereDelaysDiffer() {
        assertThat(run(new DatagramFaults(0, 0, 0, 50_000))).containsExactlyInAnyOrderElementsOf(all());
        assertThat(received).isNotEqualTo(all());
    }

    @Test
    void runsTheSameWayForTheSameSeed() {
        run(new DatagramFaults(0.3, 0.3, 0, 50_000));
        SimDatagramPipeTest again = new SimDatagramPipeTest();
        again.run(new DatagramFaults(0.3, 0.3, 0, 50_000));
        assertThat(again.received).isEqualTo(received);
        assertThat(again.network.traceHash()).isEqualTo(network.traceHash());
    }

    @Test
    void takesSharesAndDelaysOnlyInTheirRange() {
        assertThatThrownBy(() -> new DatagramFaults(1.1, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DatagramFaults(0, Double.NaN, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DatagramFaults(0, 0, 2, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
