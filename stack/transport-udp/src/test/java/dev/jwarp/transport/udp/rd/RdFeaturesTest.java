package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The features of a reliable channel's peer")
class RdFeaturesTest {
    private final RdSim sim = new RdSim(7);
    private final RdHost a = new RdHost(sim, 1, 17);
    private final RdHost b = new RdHost(sim, 2, 23);

    @BeforeEach
    void record() {
        sim.record = true;
        a.secondEdition = true;
        b.secondEdition = true;
    }

    private static RdChannel channel(RdHost of, RdHost with) {
        return Objects.requireNonNull(of.endpoint.find(with.address, with.number));
    }

    private void send(int datagrams) {
        a.post(b, 1, datagrams);
        sim.run(RdSim.millis(500));
    }

    @Tag("DG-10-16")
    @Tag("DG-4.4-10")
    @Test
    @DisplayName("are asked by a sender once, after 16 datagrams; both sides know them from then on")
    void asked() {
        b.features = 3;
        send(15);
        assertThat(sim.sent(a, Kind.PATH_PROBE)).isEmpty();
        assertThat(channel(a, b).peerFeatures()).isZero();
        send(1);
        assertThat(channel(a, b).peerFeatures()).isEqualTo(3);
        assertThat(channel(b, a).peerFeatures()).isEqualTo(5);
        b.post(a, 1, 40);
        send(400);
        assertThat(sim.sent(a, Kind.PATH_PROBE)).singleElement().satisfies(probe -> {
            RdPacket reply = sim.sent(b, Kind.PATH_REPLY).get(0);
            assertThat(reply.shim.messageId()).isEqualTo(probe.shim.messageId());
            assertThat(reply.shim.key()).as("the prober's tag").isEqualTo(channel(a, b).tag);
            assertThat(probe.shim.key()).as("the tag of the answering side").isEqualTo(channel(b, a).tag);
        });
        assertThat(sim.sent(b, Kind.PATH_PROBE))
                .as("b knows the features from the probe")
                .isEmpty();
        assertThat(a.counted(UdpCounter.RX_PATH_REPLY)).isEqualTo(1);
    }

    @Test
    @DisplayName("are none if the peer does not answer three probes, and the channel works without them")
    void silent() {
        b.secondEdition = false;
        send(3_000);
        assertThat(b.upper.offered).isEqualTo(3_000);
        assertThat(sim.sent(a, Kind.PATH_PROBE)).hasSize(3);
        assertThat(channel(a, b).peerFeatures()).isZero();
    }

    @Tag("DG-10-19")
    @Test
    @DisplayName("are unknown again after a reopening, until the peer is asked")
    void forgotten() {
        send(20);
        assertThat(channel(a, b).peerFeatures()).isEqualTo(5);
        assertThat(channel(a, b).transfer().speaksSack()).isTrue();
        sim.run(RdSim.millis(61_000));
        send(1);
        assertThat(sim.sent(a, Kind.RD_OPEN)).hasSize(2);
        for (RdChannel anew : List.of(channel(a, b), channel(b, a))) {
            assertThat(anew.peerFeatures()).isZero();
            assertThat(anew.transfer().speaksSack()).isFalse();
        }
        send(20);
        assertThat(channel(a, b).peerFeatures()).isEqualTo(5);
    }

    @Test
    @DisplayName("are asked again if the probe or its answer was lost")
    void lost() {
        sim.drops =
                p -> p.kind == Kind.PATH_REPLY && sim.sent(b, Kind.PATH_REPLY).size() < 2;
        send(200);
        assertThat(sim.sent(a, Kind.PATH_PROBE)).hasSize(2);
        assertThat(channel(a, b).peerFeatures()).isEqualTo(5);
    }

    @Test
    @DisplayName("are not set by a PATH-REPLY with another token or without the tag")
    void forged() {
        sim.drops = p -> p.kind == Kind.PATH_REPLY;
        send(20);
        RdPacket answer = sim.sent(b, Kind.PATH_REPLY).get(0);
        answer.token++;
        sim.deliver(answer);
        assertThat(a.counted(UdpCounter.RX_REPLY_UNMATCHED)).isEqualTo(1);
        answer.token--;
        answer.shim.addressed(a.number, b.number, answer.shim.key() + 1);
        sim.deliver(answer);
        assertThat(a.counted(UdpCounter.RD_TAG)).isEqualTo(1);
        assertThat(channel(a, b).peerFeatures()).isZero();
    }

    @Test
    @DisplayName("a PATH-PROBE with the tag of no channel gets an RD-RESET, like DATA")
    void noChannel() {
        send(20);
        RdPacket probe = sim.sent(a, Kind.PATH_PROBE).get(0);
        b.kill();
        sim.wire.clear();
        RdHost again = new RdHost(sim, 2, 23);
        again.secondEdition = true;
        sim.deliver(probe);
        assertThat(sim.sent(again, Kind.RD_RESET)).hasSize(1);
        assertThat(sim.sent(again, Kind.PATH_REPLY)).isEmpty();
    }
}
