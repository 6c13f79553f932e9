package dev.jwarp.transport.udp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.seal.SealKeys;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A port with keys")
class SealedPortTest {
    private static final SealKeys KEYS =
            SealKeys.parse("keys", "7 send hex:000102030405060708090a0b0c0d0e0f 198.51.100.0/24");
    private static final byte[] SEND = EngineRig.data(EngineRig.shim(EngineRig.NUMBER, EngineRig.KEY));
    private static final byte[] OTHER_VERSION = EngineRig.version(2, EngineRig.shim(EngineRig.NUMBER, EngineRig.KEY));
    private static final DatagramAddress SOURCE = DatagramAddress.of(new InetSocketAddress("198.51.100.7", 4000));
    private static final DatagramAddress STRANGER = DatagramAddress.of(new InetSocketAddress("203.0.113.7", 4000));

    private final EngineRig rig = new EngineRig(Map.of("jwarp.udp.keys", "given"), true, () -> seal(1));
    private final PortSeal peer = seal(2);

    private static PortSeal seal(long seed) {
        return new PortSeal(now -> KEYS, 64, new Random(seed), () -> 1_800_000_000L, counter -> {});
    }

    @BeforeEach
    void greet() {
        DatagramBatch batch = new DatagramBatch();
        batch.set(SOURCE, ByteBuffer.allocate(60), 0, 60, 60);
        assertThat(peer.seal(batch, new DatagramBatch(), 0)).isEqualTo(UdpCounter.TX_HELD);
        DatagramBatch own = new DatagramBatch();
        for (boolean more = peer.next(own); more; more = peer.next(own)) {
            for (EngineRig.Sent sent : rig.receive(octets(own), SOURCE)) {
                peer.open(ByteBuffer.wrap(sent.octets()), 0, sent.octets().length, SOURCE, false, 0);
            }
        }
    }

    private static byte[] octets(DatagramBatch sealed) {
        byte[] octets = new byte[sealed.length()];
        sealed.memory().get(sealed.offset(), octets);
        return octets;
    }

    private byte[] sealed(byte[] plain) {
        DatagramBatch batch = new DatagramBatch();
        batch.set(SOURCE, ByteBuffer.wrap(plain), 0, plain.length, plain.length);
        DatagramBatch sealed = new DatagramBatch();
        assertThat(peer.seal(batch, sealed, 0)).isNull();
        return octets(sealed);
    }

    @Test
    @Tag("DG-K.7-1")
    @DisplayName("drops every datagram without an envelope, and answers none")
    void unsealed() {
        rig.receiveSilently(SEND, SOURCE, UdpCounter.RX_UNSEALED);
        rig.receiveSilently(OTHER_VERSION, SOURCE, UdpCounter.RX_UNSEALED);
    }

    @Test
    @Tag("DG-K.7-7")
    @DisplayName("accepts a datagram in an envelope once, also with UDP_GRO")
    void sealedOnce() {
        byte[] one = sealed(SEND);
        byte[] two = sealed(SEND);
        rig.receiveJoined(SOURCE, one, two, one);
        assertThat(rig.upper.received).hasSize(2);
        assertThat(rig.moved()).containsExactly(UdpCounter.RX_SEAL_REPLAY);
        rig.receiveSilently(two, SOURCE, UdpCounter.RX_SEAL_REPLAY);
        assertThat(rig.upper.received).hasSize(2);
    }

    @Test
    @Tag("DG-K.6-1")
    @DisplayName("answers violations in an envelope, and does not answer an envelope in an envelope")
    void answers() {
        List<EngineRig.Sent> answers = rig.receive(sealed(OTHER_VERSION), SOURCE);
        assertThat(rig.moved()).containsExactlyInAnyOrder(UdpCounter.RX_VERSION, UdpCounter.TX_VERSION_LIST);
        assertThat(answers).hasSize(1);
        byte[] answer = answers.get(0).octets();
        assertThat(answer).hasSize(DatagramLength.SHORTEST + Envelope.OVERHEAD);
        assertThat(peer.open(ByteBuffer.wrap(answer), 0, answer.length, SOURCE, false, 0))
                .isNull();
        assertThat(answer[Envelope.SHIFT]).isEqualTo((byte) Kind.VERSION_LIST.octet());

        rig.receiveSilently(sealed(sealed(SEND)), SOURCE, UdpCounter.RX_KIND);
    }

    @Test
    @DisplayName("sends nothing to peers without a key")
    void noKey() {
        rig.receiveSilently(sealed(SEND), STRANGER, UdpCounter.RX_SEAL_BAD);
    }
}
