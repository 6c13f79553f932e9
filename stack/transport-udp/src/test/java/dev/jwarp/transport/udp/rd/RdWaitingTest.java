package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Reliable channels whose message waits for a receive")
class RdWaitingTest {
    private static final int CHANNELS = 500;

    private final RdSim sim = new RdSim(1);
    private final RdHost server = new RdHost(sim, 1, 17);

    /** {@return peers that each sent one message, for which the server has no receive} */
    private List<RdHost> waiting() {
        server.upper.receives = 0;
        List<RdHost> peers = IntStream.range(0, CHANNELS)
                .mapToObj(i -> new RdHost(sim, 100 + i, 99))
                .toList();
        peers.forEach(peer -> peer.post(server, 1, 1));
        sim.run(RdSim.millis(10));
        assertThat(server.endpoint.schedule.waiting()).isEqualTo(CHANNELS);
        return peers;
    }

    @Test
    @DisplayName("stop waiting when they end")
    void gone() {
        waiting().forEach(peer -> peer.endpoint.close());
        sim.run(RdSim.millis(10));
        assertThat(server.endpoint.channels()).isZero();
        assertThat(server.endpoint.schedule.waiting()).isZero();
    }

    @Test
    @DisplayName("try again in groups while there is still none, until all have tried")
    void inVain() {
        waiting().forEach(RdHost::kill); // so that they do not repeat
        long before = server.upper.offered;
        server.endpoint.ready(sim.now());
        assertThat(server.upper.offered - before).isEqualTo(RdSchedule.TRIES_IN_VAIN);
        server.pump();
        sim.run(CHANNELS / RdSchedule.TRIES_IN_VAIN * 2 * RdSchedule.TRY_PAUSE);
        assertThat(server.upper.offered - before).isEqualTo(CHANNELS);
    }

    @Test
    @DisplayName("all continue at once if there are enough")
    void enough() {
        waiting();
        server.ready(CHANNELS);
        assertThat(server.upper.received).hasSize(CHANNELS);
        assertThat(server.endpoint.schedule.waiting()).isZero();
    }
}
