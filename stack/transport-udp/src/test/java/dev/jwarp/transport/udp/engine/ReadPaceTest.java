package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.KEY;
import static dev.jwarp.transport.udp.engine.EngineRig.LOOPBACK;
import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.PEER_NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.engine.EngineRig.Sent;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §6: Read Responses over UD")
class ReadPaceTest {
    private static final int FIRST_READ = 500;
    private static final int AROUND = ShimHeader.LENGTH + ToyUpper.HEADER + Crc.LENGTH;
    private static final int SIZE = 1_000;
    private static final int THEIR_KEY = 0x5eed;

    private EngineRig rig = new EngineRig(Map.of("jwarp.udp.controlled", "127.0.0.0/8"), true);

    /** The shim of a Read Request to the default queue pair of the port. */
    private static Shim request(int messageId) {
        return new Shim().addressed(NUMBER, PEER_NUMBER, KEY).message(messageId, 28);
    }

    private List<Sent> answer(int reads, DatagramAddress asker) {
        // A Read of that peer: the peer is not silent.
        rig.receiveFrom(asker);
        for (int i = 0; i < reads; i++) {
            DatagramPeer peer = new DatagramPeer().set(asker, PEER_NUMBER, KEY, 1_472);
            rig.upper.answer(peer, request(FIRST_READ + i), new byte[SIZE - AROUND]);
        }
        rig.upper.lower().doorbell();
        return rig.send();
    }

    private static List<Sent> of(Kind kind, List<Sent> sent) {
        return sent.stream().filter(one -> one.kind() == kind).toList();
    }

    /** The reader reports {@code received}; {@return the datagrams sent afterwards} */
    private List<Sent> tell(Sent probe, int received) {
        return rig.receive(EngineRig.pathReply(probe, probe.octets().length, received), STRANGER);
    }

    @Tag("DG-6-11")
    @Tag("DG-10-20")
    @Test
    @DisplayName("have a PATH-PROBE behind the tenth: a reply, with the numbers of the Read")
    void asks() {
        List<Sent> sent = answer(20, STRANGER);
        assertThat(sent.get(10).kind()).isEqualTo(Kind.PATH_PROBE);
        assertThat(of(Kind.PATH_PROBE, sent)).singleElement().satisfies(probe -> {
            probe.hasShim(new Shim()
                    .addressed(PEER_NUMBER, NUMBER, KEY)
                    .message(FIRST_READ + 9, PathProbeBody.LEAST_LENGTH)
                    .flags(true, false, false, false));
            assertThat(probe.octets()).hasSize(60);
        });
    }

    @Tag("DG-6-6")
    @Test
    @DisplayName("to a reader without feedback have the rate of a silent peer")
    void older() {
        assertThat(of(Kind.DATA, answer(60, STRANGER))).hasSize(11);
        assertThat(rig.millisUntilSent(25)).as("25,000 bytes at 125 kB/s").isBetween(190L, 210L);
    }

    @Tag("DG-6-1")
    @Test
    @DisplayName("and Sends to the same address and port share one pace, and answers to both kinds of probes count")
    void oneControl() {
        Sent probe = of(Kind.PATH_PROBE, answer(12, STRANGER)).get(0);
        DatagramPeer theirs = new DatagramPeer().set(STRANGER, PEER_NUMBER, THEIR_KEY, 1_472);
        rig.upper.post(theirs, 1, SIZE - AROUND);
        assertThat(rig.send()).as("the Read Responses have used up the rate").isEmpty();
        rig.now += TimeUnit.MILLISECONDS.toNanos(20);
        assertThat(tell(probe, 1)).extracting(sent -> sent.shim().reply()).contains(false);
        assertThat(rig.moved()).contains(UdpCounter.RX_PATH_REPLY);
        rig.upper.post(theirs, 20, SIZE - AROUND);
        Sent next = null;
        for (int i = 0; i < 20 && next == null; i++) {
            rig.now += TimeUnit.MILLISECONDS.toNanos(1);
            next = of(Kind.PATH_PROBE, rig.send()).stream().findFirst().orElse(null);
        }
        assertThat(next).as("the next probe").isNotNull();
        assertThat(next.shim().reply()).as("follows a Send").isFalse();
        assertThat(next.shim().key()).isEqualTo(THEIR_KEY);
    }

    @Test
    @DisplayName("in a controlled network are not limited, without probes")
    void controlled() {
        assertThat(answer(60, LOOPBACK)).hasSize(60).allMatch(sent -> sent.kind() == Kind.DATA);
    }

    private static byte[] probe() {
        return EngineRig.pathProbe(reply(PathProbeBody.LEAST_LENGTH), 77, 1_000);
    }

    private static Shim reply(int length) {
        return new Shim()
                .addressed(NUMBER, PEER_NUMBER, THEIR_KEY)
                .message(FIRST_READ, length)
                .flags(true, false, false, false);
    }

    @Tag("DG-6-12")
    @Tag("DG-10-15")
    @Tag("DG-10-20")
    @Test
    @DisplayName("are counted by the reader, and reported only to the responder of its Read")
    void told() {
        rig.upper.asked = (shim, source) -> shim.messageId() == FIRST_READ && source.equals(STRANGER);
        rig.receiveSilently(probe(), LOOPBACK, UdpCounter.RX_REPLY_UNMATCHED);
        assertThat(rig.receive(probe(), STRANGER)).singleElement().satisfies(answer -> {
            assertThat(answer.kind()).isEqualTo(Kind.PATH_REPLY);
            assertThat(answer.to()).isEqualTo(STRANGER);
            assertThat(answer.octets()).hasSize(60);
            assertThat(answer.shim().key()).isEqualTo(THEIR_KEY);
            assertThat(answer.shim().sourceQpn()).isEqualTo(NUMBER);
            assertThat(answer.pathReply().token()).isEqualTo(77);
            assertThat(answer.pathReply().datagramsReceived()).isEqualTo(1);
        });
        assertThat(rig.moved()).containsExactlyInAnyOrder(UdpCounter.RX_PATH_PROBE, UdpCounter.TX_PATH_REPLY);
        rig.answers(EngineRig.data(reply(5).segment(0, 5)), STRANGER, 3);
        assertThat(rig.receive(probe(), STRANGER).get(0).pathReply().datagramsReceived())
                .isEqualTo(1 + 3);
    }
}
