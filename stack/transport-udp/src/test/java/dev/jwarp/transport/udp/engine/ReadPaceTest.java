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
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
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
        rig.receive(EngineRig.data(EngineRig.shim(NUMBER, KEY)), asker);
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
        PathProbeBody asked = new PathProbeBody();
        asked.wrap(ByteBuffer.wrap(probe.octets()), ShimHeader.LENGTH);
        ByteBuffer behind = ByteBuffer.allocate(PathReplyBody.LENGTH);
        PathReplyBody body = new PathReplyBody();
        body.wrap(behind, 0);
        body.set(asked.token(), probe.octets().length, 1_472);
        body.received(received, 0, 0);
        Shim shim = new Shim()
                .addressed(NUMBER, PEER_NUMBER, KEY)
                .message(probe.shim().messageId(), PathReplyBody.LENGTH)
                .flags(true, false, false, false);
        return rig.receive(EngineRig.datagram(Kind.PATH_REPLY, shim, 0, behind.array()), STRANGER);
    }

    @Tag("DG-6-11")
    @Tag("DG-10-20")
    @Test
    @DisplayName("have a PATH-PROBE behind the tenth: a reply, with the numbers of the Read")
    void asks() {
        List<Sent> sent = answer(20, STRANGER);
        assertThat(sent.get(10).kind()).isEqualTo(Kind.PATH_PROBE);
        assertThat(of(Kind.PATH_PROBE, sent)).singleElement().satisfies(probe -> {
            Shim shim = probe.shim();
            assertThat(shim.reply()).isTrue();
            assertThat(shim.destinationQpn()).isEqualTo(PEER_NUMBER);
            assertThat(shim.sourceQpn()).isEqualTo(NUMBER);
            assertThat(shim.key()).isEqualTo(KEY);
            assertThat(shim.messageId()).isEqualTo(FIRST_READ + 9);
            byte[] octets = probe.octets();
            assertThat(octets).hasSize(60);
            assertThat(new DatagramParser().parse(ByteBuffer.wrap(octets), 0, octets.length, STRANGER))
                    .isNull();
        });
    }

    @Tag("DG-6-6")
    @Test
    @DisplayName("to a reader without feedback have the rate of a silent peer")
    void older() {
        assertThat(of(Kind.DATA, answer(60, STRANGER))).hasSize(11);
        long begin = rig.now;
        for (int sent = 11; sent < 36; ) {
            assertThat(rig.engine.nextSend()).isGreaterThan(rig.now);
            rig.now = rig.engine.nextSend();
            sent += of(Kind.DATA, rig.send()).size();
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(rig.now - begin))
                .as("25,000 bytes at 125 kB/s")
                .isBetween(190L, 210L);
    }

    @Tag("DG-6-1")
    @Test
    @DisplayName("and Sends to the same address and port share one pace, and answers to both kinds of probes count")
    void oneControl() {
        Sent probe = of(Kind.PATH_PROBE, answer(12, STRANGER)).get(0);
        rig.upper.send(new DatagramPeer().set(STRANGER, PEER_NUMBER, THEIR_KEY, 1_472), new byte[SIZE - AROUND]);
        rig.upper.lower().doorbell();
        assertThat(rig.send()).as("the Read Responses have used up the rate").isEmpty();
        rig.now += TimeUnit.MILLISECONDS.toNanos(20);
        assertThat(tell(probe, 1)).extracting(sent -> sent.shim().reply()).contains(false);
        assertThat(rig.moved()).contains(UdpCounter.RX_PATH_REPLY);
        for (int i = 0; i < 20; i++) {
            rig.upper.send(new DatagramPeer().set(STRANGER, PEER_NUMBER, THEIR_KEY, 1_472), new byte[SIZE - AROUND]);
        }
        rig.upper.lower().doorbell();
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

    private byte[] probe(int messageId, int key) {
        ByteBuffer behind = ByteBuffer.allocate(PathProbeBody.LEAST_LENGTH);
        PathProbeBody body = new PathProbeBody();
        body.wrap(behind, 0);
        body.set(77, 1_000);
        return EngineRig.datagram(
                Kind.PATH_PROBE, reply(messageId, key, PathProbeBody.LEAST_LENGTH), 0, behind.array());
    }

    private static Shim reply(int messageId, int key, int length) {
        return new Shim()
                .addressed(NUMBER, PEER_NUMBER, key)
                .message(messageId, length)
                .flags(true, false, false, false);
    }

    private static PathReplyBody body(Sent answer) {
        PathReplyBody body = new PathReplyBody();
        body.wrap(ByteBuffer.wrap(answer.octets()), ShimHeader.LENGTH);
        return body;
    }

    @Tag("DG-6-12")
    @Tag("DG-10-15")
    @Tag("DG-10-20")
    @Test
    @DisplayName("are counted by the reader, and reported only to the responder of its Read")
    void told() {
        rig.upper.asked = (shim, source) -> shim.messageId() == FIRST_READ && source.equals(STRANGER);
        assertThat(rig.receive(probe(FIRST_READ, THEIR_KEY), LOOPBACK)).isEmpty();
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_REPLY_UNMATCHED);
        assertThat(rig.receive(probe(FIRST_READ, THEIR_KEY), STRANGER))
                .singleElement()
                .satisfies(answer -> {
                    assertThat(answer.kind()).isEqualTo(Kind.PATH_REPLY);
                    assertThat(answer.to()).isEqualTo(STRANGER);
                    assertThat(answer.octets()).hasSize(60);
                    assertThat(answer.shim().key()).isEqualTo(THEIR_KEY);
                    assertThat(answer.shim().sourceQpn()).isEqualTo(NUMBER);
                    assertThat(body(answer).token()).isEqualTo(77);
                    assertThat(body(answer).datagramsReceived()).isEqualTo(1);
                });
        assertThat(rig.moved()).containsExactlyInAnyOrder(UdpCounter.RX_PATH_PROBE, UdpCounter.TX_PATH_REPLY);
        for (int i = 0; i < 3; i++) {
            Shim shim = reply(FIRST_READ, THEIR_KEY, 5).segment(0, 5);
            rig.receive(EngineRig.datagram(Kind.DATA, shim, 0, EngineRig.segment()), STRANGER);
        }
        assertThat(body(rig.receive(probe(FIRST_READ, THEIR_KEY), STRANGER).get(0))
                        .datagramsReceived())
                .isEqualTo(1 + 3);
    }
}
